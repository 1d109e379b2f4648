import { calendar } from './calendar.ts'
import { records } from './claim-records.ts'
import { holds } from './holds.ts'
import { time } from './time.ts'

/**
 * Extends the reservations of claims.
 *
 * Keys: of each claim its record, then the holds of each counter with a reservation. Arguments: the time, the extra time
 * to live in milliseconds, the new time to live in microseconds; then of each claim its id, the number of its counters,
 * and for each its kind, its window (of a rate, the amount reserved) and its refund. Replies the number of claims that
 * were still live.
 */
export const renew = `${time}${calendar}${holds}${records}
local ttl = tonumber(ARGV[3])
local key, at, renewed = 1, 4, 0

while at <= #ARGV do
  local id, count = ARGV[at], tonumber(ARGV[at + 1])
  local claim = read_record(KEYS[key])
  local live = claim and claim.ends > now
  if live then
    write_record(KEYS[key], { made = claim.made, ends = now + ttl, taken = claim.taken })
    renewed = renewed + 1
  end
  key, at = key + 1, at + 2
  for index = 1, count do
    if live and string.sub(claim.taken, index, index) == '1' then
      local counter = { kind = ARGV[at], refund = tonumber(ARGV[at + 2]), holds = KEYS[key] }
      local detail = ARGV[at + 1]
      if counter.kind == 'sum' then detail = window_at(detail, claim.made) end
      hold(counter, held_as(id, counter, tonumber(detail)), ttl)
    end
    key, at = key + 1, at + 3
  end
end
return renewed
`
