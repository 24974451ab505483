# SPDX-License-Identifier: MIT
# The settings of a command that plans nothing.

END {
  if (is_stopped) exit
  if (is_asked) {
    scenario_take()
    variants_take()
  }
  resolve("")
  for (i = 1; i <= names; i++) setting_say("-", "-", NAME[i])
  layers_say()
  said_print("set layer", "run change part over optional trust warn")
}
