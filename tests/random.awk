# SPDX-License-Identifier: MIT
# Random numbers for the tests of statistics: the same in every awk. Set `seed` (1 or more) first.

# Park and Miller's generator, whose products stay exact.
function uniform() {
  seed = (seed * 16807) % 2147483647
  return seed / 2147483647
}

function gauss() {
  return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform())
}

# Noise with a standard deviation of DEVIATION; each value contains the fraction ALIKE of the previous value.
function noise(deviation, alike) {
  last_noise = alike * last_noise + sqrt(1 - alike * alike) * gauss()
  return deviation * last_noise
}
