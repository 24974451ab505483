# SPDX-License-Identifier: MIT
# Every number of a row is checked once, before anything is computed from it: awk reads inf, nan and 1e999 as numbers, and they would be in every sum
# and on the page. Part of result.awk. All its names begin with numbers_.

# The value of a column in the cell; empty, with a message, if it should be a number and is none.
function numbers_checked(column, value) {
  if (!numbers_known++)
    for (numbers_i = 1; numbers_i <= schema_columns; numbers_i++)
      if (schema[schema_name[numbers_i], "decimals"] != "text") numbers_column[schema_name[numbers_i]] = 1
  # `no` is a word of settle_s.
  if (!(column in numbers_column) || text_is_number(value) || value == "-" || value == "no") return value
  complain(name["folder"], column " of phase " cell["operation"] " is not a number, or too large; left empty")
  return ""
}
