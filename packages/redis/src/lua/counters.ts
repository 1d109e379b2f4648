import { calendar } from './calendar.ts'
import { holds } from './holds.ts'
import { lease } from './lease.ts'
import { rate } from './rate.ts'
import { sum } from './sum.ts'
import { time } from './time.ts'

/**
 * Reads the counters of a claim: seven arguments for each, and after the first key, which is the claim's record, two keys
 * for each: its state and its holds.
 */
const reading = `
local kinds = { rate = rate, sum = sum, lease = lease }
local id = ARGV[3]
local record = KEYS[1]

local function read_counters(first)
  local counters = {}
  for at = first, #ARGV, 7 do
    local index = #counters + 1
    local kind, window = ARGV[at], ARGV[at + 2]
    counters[index] = {
      kind = kind,
      rules = kinds[kind],
      limit = tonumber(ARGV[at + 1]),
      window = kind == 'rate' and tonumber(window) or window,
      take = tonumber(ARGV[at + 3]),
      -- Nil if nothing is reserved: the argument is empty then.
      refund = tonumber(ARGV[at + 4]),
      dry_run = ARGV[at + 5] == '1',
      charged = tonumber(ARGV[at + 6]),
      state = KEYS[2 * index],
      holds = KEYS[2 * index + 1],
    }
  end
  return counters
end
`

/** The common beginning of all scripts on claims. */
export const counters = [time, calendar, holds, rate, sum, lease, reading].join('')
