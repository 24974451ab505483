# SPDX-License-Identifier: MIT
# The sides of a comparison, their pairs, and the cells of repeats that they share. Part of compare.awk, which
# reads the rows.

function note(text) {
  if (text in noted) return
  noted[text] = 1
  print "notes", text_escape(text)
}

# Name the runs in run_name[side]: by LABEL, else by their server; by their directories if two have the same name.
function name_runs(    s, name, owner, same) {
  for (s = 1; s <= sides; s++) {
    run_name[s] = stored_setting(of_folder[s] "", "-", "LABEL")
    if (run_name[s] ~ /^(none)?$/) run_name[s] = stored_setting(of_folder[s] "", "-", "SERVER")
    name = run_name[s]
    if (name == "" || ((name in owner) && owner[name] != of_folder[s])) same = 1
    owner[name] = of_folder[s]
  }
  if (same) for (s = 1; s <= sides; s++) run_name[s] = of_run[s]
}

# Name the sides by their differences. If ARE_COMPARED is known, only the compared sides must differ.
function name_sides(are_compared,    s, k, runs, variants, count, seen, name, used, in_pair) {
  runs = variants = count = 0
  for (k = 1; k <= pairs; k++) in_pair[base_of[k]] = in_pair[other_of[k]] = 1
  for (s = 1; s <= sides; s++) {
    if (are_compared && !(s in in_pair)) continue
    count++
    if (!(("r", of_run[s]) in seen)) runs++
    if (!(("v", of_variant[s]) in seen)) variants++
    seen["r", of_run[s]] = 1
    seen["v", of_variant[s]] = 1
  }
  for (s = 1; s <= sides; s++) {
    if (are_compared && !(s in in_pair)) continue
    if (of_variant[s] == "" || (runs > 1 && variants == 1)) name = of_run[s] != "" ? run_name[s] : argument[of_argument[s]]
    else if (runs > 1 && variants < count) name = run_name[s] ":" of_variant[s]
    else name = of_variant[s]
    used[name]++
    label[s] = used[name] > 1 ? name " (" used[name] ")" : name
  }
}

# Whether an argument from FIRST to LAST has a variant of that name, which may be without a complete result: note_missing tells that.
function was_begun(variant, first, last,    a, i) {
  for (a = first; a <= last; a++)
    for (i = 1; i <= variants_begun[a]; i++) if (begun[a, i] == variant) return 1
  return 0
}

# Choose the pairs of sides: base_of[pair] and other_of[pair].
function make_pairs(    s, o, first, count) {
  count = 0
  for (s = 1; s <= sides; s++)
    if (of_argument[s] == 1) {
      count++
      if (!first || rank[s] < rank[first]) first = s
    }
  if (!first) return
  if (arguments == 1 || count == 1) {
    for (o = 1; o <= sides; o++)
      if (o != first) {
        base_of[++pairs] = first
        other_of[pairs] = o
      }
    if (!pairs) note(label[first] " is the only variant: nothing to compare")
    return
  }
  # Two runs of several variants: each variant against itself.
  for (o = 1; o <= sides; o++) {
    if (of_argument[o] == 1) continue
    for (s = 1; s <= sides; s++)
      if (of_argument[s] == 1 && of_variant[s] == of_variant[o]) {
        base_of[++pairs] = s
        other_of[pairs] = o
        break
      }
    if (s > sides && !was_begun(of_variant[o], 1, 1)) note(label[o] ": " argument[1] " has no variant of that name; skipped")
  }
  for (s = 1; s <= sides; s++) {
    if (of_argument[s] != 1) continue
    for (o = 1; o <= pairs; o++) if (base_of[o] == s) break
    if (o > pairs && !was_begun(of_variant[s], 2, arguments)) missed[++missing] = label[s] " is not compared: no other run has a variant of that name"
  }
}

# Variants that were started, but have no results to compare.
function note_missing(    a, i, s) {
  for (a = 1; a <= arguments; a++)
    for (i = 1; i <= variants_begun[a]; i++) {
      for (s = 1; s <= sides; s++) if (of_argument[s] == a && of_variant[s] == begun[a, i]) break
      if (s > sides) missed[++missing] = begun[a, i] " of " argument[a] " has no complete result"
    }
  for (i = 1; i <= missing; i++) note(missed[i])
}

# Whether a side has several points of one shape, such as the axes of a sweep: by their shape they would become repeats of one point.
function shapes_hide(    r, key, name_of) {
  for (r = 1; r <= rows; r++) {
    if (named[r] == "") continue
    key = side_of[r] SUBSEP shape[r]
    if ((key in name_of) && name_of[key] != named[r]) return 1
    name_of[key] = named[r]
  }
  return 0
}

# Sort the rows into cells: rows_at[cell, 1..count_at[cell]]. A cell has a side's repeats of one point and phase, without those that are discarded:
# dropped[cell] is their number.
function make_cells(by_shape,    r, cell, i) {
  for (i in count_at) delete count_at[i]
  for (i in dropped) delete dropped[i]
  for (i in turns) delete turns[i]
  for (i in spot_seen) delete spot_seen[i]
  spots = 0
  for (r = 1; r <= rows; r++) {
    point[r] = by_shape || named[r] == "" ? shape[r] : named[r]
    if (!((point[r], operation[r]) in spot_seen)) {
      spot_seen[point[r], operation[r]] = ++spots
      spot_point[spots] = point[r]
      spot_operation[spots] = operation[r]
    }
    cell = side_of[r] SUBSEP point[r] SUBSEP operation[r]
    # Logs without the number of a repeat take turns in their order.
    turn[r] = repeat[r] != "" ? repeat[r] : "log " ++turns[cell]
    row_of[cell, turn[r]] = r
    if (discarded[r] != "") dropped[cell]++
    else rows_at[cell, ++count_at[cell]] = r
  }
}

# Whether side S has a result at spot I, which may be DISCARDED.
function has_result(s, i, discarded_too) {
  return ((s, spot_point[i], spot_operation[i]) in count_at) || discarded_too && ((s, spot_point[i], spot_operation[i]) in dropped)
}

# Whether any pair has a point and phase in common; if MEASURED, other than populate. Results that are discarded count if DISCARDED_TOO.
function has_common(measured, discarded_too,    k, i) {
  for (k = 1; k <= pairs; k++)
    for (i = 1; i <= spots; i++)
      if (!(measured && schema_is_fill(spot_operation[i])) && has_result(base_of[k], i, discarded_too) && has_result(other_of[k], i, discarded_too)) return 1
  return 0
}

# How many repeats of side S at spot I are discarded, as text after a colon; empty if none is.
function discards_of(s, i,    n) {
  n = ((s, spot_point[i], spot_operation[i]) in dropped) ? dropped[s, spot_point[i], spot_operation[i]] : 0
  return n ? ": " n " of its repeats " (n == 1 ? "is" : "are") " discarded" : ""
}

# Whether OPERATION only prepares measured phases.
function is_fill(operation) {
  return more_than_fill && schema_is_fill(operation)
}

# Puts the known values of METRIC in a cell into out[1..n], sorted, and returns n.
function values(cell, metric, out,    i, n, v) {
  n = 0
  for (i = 1; i <= count_at[cell]; i++) {
    v = value_of[rows_at[cell, i], metric]
    if (v != "") out[++n] = v + 0
  }
  interval_sort(out, n)
  return n
}

# Returns how many repeats of spot I of side S lack METRIC, which others of them have; a note says so. A phase that broke the limit of its search
# only has counts.
function lacking(metric, s, i,    cell, r, whole, n) {
  cell = s SUBSEP spot_point[i] SUBSEP spot_operation[i]
  for (r = 1; r <= count_at[cell]; r++) {
    if (broken[rows_at[cell, r]] && !metric_is_count(metric)) continue
    whole++
    n += value_of[rows_at[cell, r], metric] == ""
  }
  if (!n || n == whole) return 0
  note(spot_operation[i] " at " spot_point[i] ": " n " of " whole " repeats of " label[s] " have no " metric_title[metric] ", and are not in its figures")
  return n
}

# The value that represents sorted v[1..n] repeats of a figure: their median, for counts the max.
function stands_for(name, v, n) {
  return metric_is_count(name) ? v[n] : interval_median(v, n)
}

# The value that represents the repeats of a cell.
function figure_of(cell, metric,    v, n) {
  n = values(cell, metric, v)
  return n ? stands_for(metric, v, n) : ""
}

# Puts the ratios of repeats that both cells have into out[1..n], sorted, and returns n.
function ratios(base, other, metric, out,    i, n, by_repeat, v) {
  n = 0
  for (i = 1; i <= count_at[base]; i++) by_repeat[repeat[rows_at[base, i]]] = value_of[rows_at[base, i], metric]
  for (i = 1; i <= count_at[other]; i++) {
    v = value_of[rows_at[other, i], metric]
    if (v > 0 && by_repeat[repeat[rows_at[other, i]]] > 0) out[++n] = v / by_repeat[repeat[rows_at[other, i]]]
  }
  interval_sort(out, n)
  return n
}

# Side S has no result at spot I, or none that counts; side OTHER has one, or 0.
function note_gap(s, other, i) {
  note(label[s] " has no " (discards_of(s, i) == "" ? "" : "usable ") spot_operation[i] " at " spot_point[i] (other ? ", which " label[other] " has" : "") discards_of(s, i))
}

# Results that only one side has.
function note_gaps(    k, i, b, o, cb, co) {
  for (k = 1; k <= pairs; k++)
    for (i = 1; i <= spots; i++) {
      cb = base_of[k] SUBSEP spot_point[i] SUBSEP spot_operation[i]
      co = other_of[k] SUBSEP spot_point[i] SUBSEP spot_operation[i]
      if ((cb in count_at) && !(co in count_at)) note_gap(other_of[k], base_of[k], i)
      if ((co in count_at) && !(cb in count_at)) note_gap(base_of[k], other_of[k], i)
      if ((cb in dropped) && (co in dropped) && !(cb in count_at) && !(co in count_at)) {
        note_gap(base_of[k], 0, i)
        note_gap(other_of[k], 0, i)
      }
      if ((cb in count_at) && (co in count_at) && count_at[cb] != count_at[co])
        note(spot_operation[i] " at " spot_point[i] ": " count_at[cb] " repeats of " label[base_of[k]] " and " count_at[co] " of " label[other_of[k]] \
          ((cb in dropped) || (co in dropped) ? ", without discarded ones" : ""))
    }
}

# Whether two rows had other numbers of keys. FILL is met anew by each run, so small differences do not count.
function keys_differ(r, o) {
  return keys[r] + 0 > 1.02 * keys[o] || keys[o] + 0 > 1.02 * keys[r]
}

# Other numbers of keys at the same point: one line for each two arguments, because the setting is one of the run.
function note_keys(    k, i, b, o, pair) {
  for (k = 1; k <= pairs; k++) {
    pair = of_argument[base_of[k]] SUBSEP of_argument[other_of[k]]
    for (i = 1; i <= spots; i++) {
      if (is_fill(spot_operation[i]) || !((base_of[k], spot_point[i], spot_operation[i]) in count_at) || !((other_of[k], spot_point[i], spot_operation[i]) in count_at)) continue
      b = rows_at[base_of[k], spot_point[i], spot_operation[i], 1]
      o = rows_at[other_of[k], spot_point[i], spot_operation[i], 1]
      if (!keys_known[b] || !keys_known[o] || !keys_differ(b, o) || noted_keys[pair]++) continue
      note(spot_operation[i] " at " spot_point[i] ": " label[base_of[k]] " has " text_group(keys[b], 0) " keys per instance, " label[other_of[k]] " has " \
        text_group(keys[o], 0) "; run both with the same FILL or KEYS")
    }
  }
}

# Two arguments that other versions of the tool made: one line for each two. Those of one argument are among its warnings.
function note_tools(    k, r, a, b, first, other) {
  for (r = 1; r <= rows; r++) {
    a = of_argument[side_of[r]]
    if (!(a in first)) first[a] = tool[r]
    else if (first[a] != tool[r]) other[a] = 1
  }
  for (k = 1; k <= pairs; k++) {
    a = of_argument[base_of[k]]
    b = of_argument[other_of[k]]
    if (first[a] == "" || first[b] == "" || first[a] == first[b] || (a in other) || (b in other)) continue
    note(argument[a] " was made by " first[a] ", " argument[b] " by " first[b] ": versions of the tool may measure differently")
  }
}

# The warnings about each argument, with the name of its run if there are several.
function note_warnings(    w, s, name) {
  for (w = 1; w <= warnings; w++) {
    name = argument[warning_of[w]]
    for (s = sides; s >= 1; s--) if (of_argument[s] == warning_of[w] && of_run[s] != "") name = run_name[s]
    note((arguments > 1 ? name ": " : "") warned[w])
  }
}

function points_of(s,    i, out, seen) {
  for (i = 1; i <= rows; i++)
    if (side_of[i] == s && !(point[i] in seen)) {
      seen[point[i]] = 1
      out = out (out == "" ? "" : ", ") point[i]
    }
  return out == "" ? "none" : out
}
