# SPDX-License-Identifier: MIT
# Leave only the lines of one section to the programs after this one: those that begin with its name, SECTION in the environment, and a tab, without
# these. NR counts only them.

BEGIN { section = ENVIRON["SECTION"] "\t" }

index($0, section) != 1 { NR--; next }
{ $0 = substr($0, length(section) + 1) }
