# SPDX-License-Identifier: MIT
# The settings of stored runs, as settings.tsv has them (docs/plan.md).

# The value of a setting for a variant of the run in FOLDER, without a point; VARIANT is `-` for the run itself. Empty if it is not known.
function stored_setting(folder, variant, name,    file, line, f) {
  if (!(folder in stored_read)) {
    stored_read[folder] = 1
    file = text_opened(folder "/settings.tsv")
    while ((getline line < file) > 0) {
      split(line, f, "\t")
      if (f[2] == "-") stored[folder, f[1], f[3]] = f[4]
    }
    close(file)
  }
  return (folder, variant, name) in stored ? stored[folder, variant, name] : stored[folder, "-", name]
}
