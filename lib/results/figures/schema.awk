# SPDX-License-Identifier: MIT
# The columns of results, from their lists (parts_columns), and functions to access them. All names begin with schema_.

# Read the tables, once: schema_name[1..schema_columns], and schema[NAME, FIELD], empty if a table has `-`. The columns of a part follow the
# columns that their field `after` names.
function schema_read(    n, i, first, name) {
  if (schema_columns) return
  n = split(ENVIRON["SCHEMA"], name, "\n")
  for (i = 1; i <= n; i++) schema_file(name[i], first)
  n = split(first[""], name, "\t")
  for (i = 2; i <= n; i++) schema_place_after(name[i], first)
}

# Read one table: the columns after NAME are added to first[NAME], and those without such a name to first[""].
function schema_file(file, first,    line, f, field, n, i, name, after) {
  while ((getline line < file) > 0) {
    if (line ~ /^#/) continue
    n = split(line, f, "\t")
    if (!field[1]) {
      for (i = 1; i <= n; i++) field[i] = f[i]
      continue
    }
    name = field[1] == "after" ? f[2] : f[1]
    after = field[1] == "after" ? f[1] : ""
    first[after] = first[after] "\t" name
    for (i = 1; i <= n; i++) schema[name, field[i]] = f[i] == "-" ? "" : f[i]
  }
  close(file)
}

# Add a column, and those that follow it.
function schema_place_after(name, first,    n, i, next_name) {
  schema_name[++schema_columns] = name
  if (!(name in first)) return
  n = split(first[name], next_name, "\t")
  for (i = 2; i <= n; i++) schema_place_after(next_name[i], first)
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
  if (!match(list, "," where ":[a-z_]+,")) return ""
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
