# SPDX-License-Identifier: MIT
# Leave only the lines of one section to the programs after this one. They begin with its name, SECTION in the environment, and a tab, which are
# removed. NR counts only them.

BEGIN { section = ENVIRON["SECTION"] "\t" }

index($0, section) != 1 { NR--; next }
{ $0 = substr($0, length(section) + 1) }
