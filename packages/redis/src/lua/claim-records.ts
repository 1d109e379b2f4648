/**
 * The record of a claim with reservations: when it was made, when it expires, and for each counter with reservations
 * whether it counts the claim (1) or is a dry run that would have refused it (0). It outlives the claim by an hour, for
 * late settlements.
 */
export const records = `
local function write_record(key, claim)
  local value = text(claim.made) .. ':' .. text(claim.ends) .. ':' .. claim.taken
  redis.call('SET', key, value, 'PX', ttl_ms(claim.ends - now + HOUR))
end

local function read_record(key)
  local made, ends, taken = string.match(redis.call('GET', key) or '', '^(%d+):(%d+):([01]+)$')
  return made and { made = tonumber(made), ends = tonumber(ends), taken = taken }
end
`
