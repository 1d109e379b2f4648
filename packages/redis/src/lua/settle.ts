import { records } from './claim-records.ts'
import { counters } from './counters.ts'

/**
 * Corrects what a claim took to what it was charged, once.
 *
 * Keys and arguments: as to admit, without the time that it is held, of the counters that hold. Answers 1 where
 * something was settled, and 0 where nothing was left to settle.
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
