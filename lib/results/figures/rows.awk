# SPDX-License-Identifier: MIT
# Print rows or totals for render.awk, with every column of the schema that is shown in WHERE (in the environment): csv or total. An axis
# that was not swept has the value that the phase used.

BEGIN { FS = OFS = "\t" }

NR == 1 {
  for (i = 1; i <= NF; i++) {
    schema_see($i)
    at[$i] = i
  }
  wanted = schema_list(ENVIRON["WHERE"], want)
  for (i = 1; i <= wanted; i++) printf "%s%s", want[i], (i < wanted ? OFS : "\n")
  for (i = 1; i <= wanted; i++) printf "%s%s", want[i], (i < wanted ? OFS : "\n")
  for (i = 1; i <= wanted; i++) printf "%s%s", (schema[want[i], "decimals"] == "text" ? "text" : "raw"), (i < wanted ? OFS : "\n")
  for (i = 1; i <= wanted; i++) {
    place[i] = at[want[i]]
    used[i] = at[want[i] "_used"]
  }
  next
}

{
  line = $place[1]
  for (i = 2; i <= wanted; i++) line = line OFS (used[i] && $place[i] == "" ? $used[i] : $place[i])
  print line
}
