# SPDX-License-Identifier: MIT
# The columns of results, from lib/results/schema.tsv (SCHEMA in the environment), and functions to access them. All names begin with
# schema_.

# Read the table, once: schema_name[1..schema_columns], and schema[NAME, FIELD], empty if the table has `-`.
function schema_read(    line, f, field, n, i) {
  if (schema_columns) return
  while ((getline line < ENVIRON["SCHEMA"]) > 0) {
    if (line ~ /^#/) continue
    n = split(line, f, "\t")
    if (!field[1]) {
      for (i = 1; i <= n; i++) field[i] = f[i]
      continue
    }
    schema_name[++schema_columns] = f[1]
    for (i = 1; i <= n; i++) schema[f[1], field[i]] = f[i] == "-" ? "" : f[i]
  }
  close(ENVIRON["SCHEMA"])
}

# Add a column of rows or totals. A column that the table does not have is an axis of the sweep (SWEEP): text, the same for all clients,
# shown everywhere, in the table where it varies.
function schema_see(name) {
  schema_read()
  if ((name, "name") in schema) return
  schema_name[++schema_columns] = name
  schema[name, "name"] = schema[name, "heading"] = name
  schema[name, "source"] = "plan.tsv"
  schema[name, "clients"] = "same"
  schema[name, "decimals"] = "text"
  schema[name, "shown"] = "csv,total,table:varies"
  schema[name, "place"] = schema["dram_ratio", "place"]
}

# Whether rows have the column NAME.
function schema_in_rows(name) {
  return schema[name, "source"] != "total" && schema[name, "source"] != "table"
}

# The condition under which the column NAME is shown in WHERE: empty: never; `always`; or the condition after its colon.
function schema_when(name, where,    list) {
  list = "," schema[name, "shown"] ","
  if (index(list, "," where ",")) return "always"
  if (!match(list, "," where ":[a-z]+,")) return ""
  return substr(list, RSTART + length(where) + 2, RLENGTH - length(where) - 3)
}

# Set out[1..n] to the columns that are shown in WHERE, in the order of the table, and return n.
function schema_list(where, out,    i, n) {
  schema_read()
  n = 0
  for (i = 1; i <= schema_columns; i++) if (schema_when(schema_name[i], where) != "") out[++n] = schema_name[i]
  return n
}

# Sort list[1..n] by place, the reading order.
function schema_sort(list, n,    i, j, name) {
  for (i = 2; i <= n; i++) {
    name = list[i]
    for (j = i - 1; j >= 1 && schema_place(list[j]) > schema_place(name); j--) list[j + 1] = list[j]
    list[j + 1] = name
  }
}

# The place of a column; columns without a place come last.
function schema_place(name) {
  return schema[name, "place"] == "" ? 1000 : schema[name, "place"] + 0
}

# Whether a phase only sets the keys: populate, also repeated (populate-2). It is not a measured phase, unless a run has no other.
function schema_is_fill(operation) {
  return operation ~ /^populate(-[0-9]+)?$/
}
