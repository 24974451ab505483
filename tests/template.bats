#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The blocks of the report's template: values are escaped, and a block that does not fit its values is an error.

load helper

prepare() {
  cat >page.html <<'END'
<!-- A comment with {{places}}. -->
<!-- block item -->
<li id="{{name}}">{{text}}</li>
<!-- block raw -->
<p>{{text}}</p>{{{html}}}
<!-- block list -->
<ul>
{{{body}}}
</ul>{{name}}
<!-- block file -->
<pre>{{body}}</pre>
END
}
# Run a function of the module with the template page.html.
template() {
  run bash -c 'LIB=$REPO/lib; . "$LIB/core/log.sh"; . "$LIB/results/template.sh"; template_read page.html; "$@"; echo end' bash "$@"
}

# The function ends with a message about a block.
# Usage: refused MESSAGE COMMAND...
refused() {
  fails 1 template "${@:2}"
  assert_output "bash: page.html: block $1"
}

@test "a value is escaped, without control characters; only three braces take HTML, and a value is not a template" {
  succeeds template template_print raw text=$'<b> & "c" \'d\'\1\177\t=e \303<' html='<i>{{text}}</i>'
  assert_output $'<p>&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;\t=e \303&lt;</p><i>{{text}}</i>\nend'
  prints $'<li id="{{{text}}}"></li>\nend' template template_print item name='{{{text}}}' text=''
}

@test "the body of a block is the output of a command, blocks too, and the lines of a file; a block for each line has its fields as values: escaped, in any order, also empty" {
  prints $'<ul>\n<li id="1">&lt;</li>\n</ul>&lt;\nend' template template_print list name='<' -- template_print item name=1 text='<'
  prints $'<ul>\n</ul>x\nend' template template_print list name=x -- :
  printf '<&>"\0\1\r'"'"'\n{{body}}' >file
  prints $'<pre>&lt;&amp;&gt;&quot;&#39;\n{{body}}</pre>\nend' template template_print file -- cat file
  printf '%s\n' $'a\t<b>\tc' $'\t' d $'{{name}}\t\\&' >lines
  template bash -c '. "$REPO/lib/results/template.sh"; template_read page.html; template_each item name text <lines; template_each item text name <<<"<x	y>"'
  assert_output '<li id="a">&lt;b&gt;	c</li>
<li id=""></li>
<li id="d"></li>
<li id="{{name}}">\&amp;</li>
<li id="y&gt;">&lt;x</li>
end'
}

@test "a block that is missing, a value that is missing and a value without a place are errors with one line" {
  refused 'lists: not found' template_print lists name=x -- :
  refused 'item: the value text is missing' template_print item name=x
  refused 'item: no place for the value color' template_print item name=x text=y color=z
  refused 'list: the value body is missing' template_print list name=x
  refused 'item: no place for the value body' template_print item name=x text=y -- echo z
  refused 'item: the value text is missing' template_each item name
  refused 'item: no place for the value color' template_each item name text color
  : >page.html
  fails 1 template :
  assert_output 'bash: page.html: not found, or without a block'
  rm page.html
  fails 1 template :
}

@test "the blocks that are printed are those of the pages" {
  printed=$(grep -rhoE '(\btemplate_(print|each|fill) |\bblock=)[a-z][a-z-]*' "$REPO/lib" | sed 's/.*[ =]//' | sort -u)
  assert_equal "$printed" "$(sed -n 's/^<!-- block \(.*\) -->$/\1/p' "$REPO"/lib/results/*.html | sort -u)"
}
