# SPDX-License-Identifier: MIT
# Print rows or totals for render.awk, with every column of the schema that is shown in WHERE (in the environment): csv or total.

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
  for (i = 1; i <= wanted; i++) place[i] = at[want[i]]
  next
}

{
  line = $place[1]
  for (i = 2; i <= wanted; i++) line = line OFS $place[i]
  print line
}
