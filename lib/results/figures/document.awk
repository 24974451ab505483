# SPDX-License-Identifier: MIT
# The schema as the table of columns in docs/results.md.

BEGIN {
  schema_read()
  how["same"] = "the same"
  how["histogram"] = "merged histograms"
  how["series"] = "merged series"
  how["mean"] = "mean by requests"
  how["different"] = "all different words"
  how["groups"] = how["group"] = "of each group"
  how["own"] = "of all clients"
  print "| column | unit | all clients | meaning |"
  print "|---|---|---|---|"
  for (i = 1; i <= schema_columns; i++) {
    name = schema_name[i]
    if (schema_when(name, "csv") == "" && schema_when(name, "total") == "") continue
    clients = schema[name, "clients"]
    print "| " name " | " schema[name, "unit"] " | " (schema_when(name, "total") == "" ? "-" : clients in how ? how[clients] : clients) " | " \
      (schema_in_rows(name) ? "" : "only with `--total`: ") schema[name, "meaning"] " |"
  }
}
