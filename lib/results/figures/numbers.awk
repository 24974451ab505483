# SPDX-License-Identifier: MIT
# Every number of a row is checked once, before anything is computed from it. awk reads inf, nan and 1e999 as numbers, and any sum of them is useless.
# Part of result.awk. All its names begin with numbers_.

# The value of a column of the cell; empty, with a message, if the column has numbers and the value is not a number.
function numbers_checked(column, value,    i) {
  if (!numbers_known++)
    for (i = 1; i <= schema_columns; i++)
      if (schema[schema_name[i], "decimals"] != "text") numbers_column[schema_name[i]] = 1
  # `no` is a word of settle_s.
  if (!(column in numbers_column) || text_is_number(value) || value == "-" || value == "no") return value
  complain(name["folder"], column " of phase " cell["operation"] " is not a number, or too large; left empty")
  return ""
}
