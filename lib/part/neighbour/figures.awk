# SPDX-License-Identifier: MIT
# The bandwidth of the NEIGHBOUR load during a phase, from server/neighbour.tsv; of several servers, the mean of each one's.

function neighbour_figures(    asked) {
  if (phase_from) cell["neighbour_gb_s"] = neighbour_read(text_opened(repeat_folder "server/neighbour.tsv"), phase_from, phase_to)
  # Populate sets each key once, without another program that reads.
  asked = repeat_setting("NEIGHBOUR")
  if (!schema_is_fill(cell["operation"]) && asked ~ /^[0-9.]+(@[0-9]+)?$/ && asked + 0 > 0) cell["neighbour_used"] = asked
}

# Returns the mean GB/s of the seconds entirely between FROM_US and TO_US by the clock of the file. If the phase contains no whole second, returns the
# first second that is partly in it, if any, else empty.
function neighbour_read(file, from_us, to_us,    line, f, sum, n, last) {
  while ((getline line < file) > 0) {
    if (split(line, f, "\t") != 2 || f[1] !~ /^[0-9]+\.[0-9]+$/ || f[2] !~ /^[0-9]+\.[0-9]+$/ || f[1] * 1e6 < from_us) continue
    if (last == "" && (f[1] - 1) * 1e6 < to_us) last = f[2]
    if ((f[1] - 1) * 1e6 < from_us || f[1] * 1e6 > to_us) continue
    sum += f[2]
    n++
  }
  close(file)
  return n ? text_number(sum / n, 3) : last
}
