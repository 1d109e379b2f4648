import { records } from './claim-records.ts'
import { counters } from './counters.ts'

/**
 * Replaces the amounts that a claim reserved with those it is charged, once.
 *
 * Keys and arguments: as in `admit`, without the time to live, and only counters with reservations. Replies 1 if it
 * settled the claim, and 0 if there was nothing to settle.
 */
export const settle = `${counters}${records}
local claim = read_record(record)
redis.call('DEL', record)
if not claim or now > claim.ends + HOUR then return 0 end

for index, counter in ipairs(read_counters(4)) do
  if string.sub(claim.taken, index, index) == '1' then
    counter.rules.settle(counter, id, claim.made, claim.ends > now)
  end
end
return 1
`
