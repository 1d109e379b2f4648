import { records } from './claim-records.ts'
import { counters } from './counters.ts'

/**
 * Takes all that a claim needs, or nothing.
 *
 * Keys: the claim's record; of each counter what is kept and what is held. Arguments: the time (empty: the server's),
 * slack of what is kept in milliseconds, the claim's id, how long it is held in microseconds; then each counter.
 * Answers 1 or 0, then four numbers for each counter: over (1 or 0), used, microseconds until all is free and until
 * there is room; -1 for never.
 */
export const admit = `${counters}${records}
local ttl = tonumber(ARGV[4])
local claimed = read_counters(5)

-- Clients send again what was not answered when a connection broke: what was taken is not taken twice.
local again = redis.call('EXISTS', record) == 1

local allowed = true
for _, counter in ipairs(claimed) do
  counter.rules.load(counter)
  counter.over = counter.rules.is_over(counter) and not (again and not counter.dry_run)
  if counter.over and not counter.dry_run then allowed = false end
end

local taken = ''
for _, counter in ipairs(claimed) do
  local takes = allowed and not counter.over and not again
  if takes then counter.rules.take(counter, id, ttl)
  elseif counter.changed then counter.rules.store(counter) end
  if counter.kind == 'lease' or counter.refund then taken = taken .. (takes and '1' or '0') end
end
if allowed and taken ~= '' and not again then write_record(record, { made = now, ends = now + ttl, taken = taken }) end

local reply = { allowed and 1 or 0 }
for _, counter in ipairs(claimed) do
  reply[#reply + 1] = counter.over and 1 or 0
  for _, number in ipairs({ counter.rules.standing(counter, counter.over) }) do
    reply[#reply + 1] = math.min(number, MOST)
  end
end
return reply
`
