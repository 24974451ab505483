# SPDX-License-Identifier: MIT
# Every number of a row is checked once, before anything is computed from it: awk reads inf, nan and 1e999 as numbers, and they would be in every sum
# and on the page. Part of result.awk. All its names begin with numbers_.

# Leave the columns of the cell empty that should have a number and have none, with a message.
function numbers_check(    i, name_of, value) {
  if (!numbers_columns)
    for (i = 1; i <= schema_columns; i++) if (schema[schema_name[i], "decimals"] != "text") numbers_column[++numbers_columns] = schema_name[i]
  for (i = 1; i <= numbers_columns; i++) {
    name_of = numbers_column[i]
    if (!(name_of in cell)) continue
    value = cell[name_of]
    # `no` is a word of settle_s.
    if (value == "" || text_is_number(value) || value == "-" || value == "no") continue
    complain(name["folder"], name_of " of phase " cell["operation"] " is not a number, or too large; left empty")
    cell[name_of] = ""
  }
}
