/**
 * The record of a claim that holds something: when it was made, when its time is over, and which of the counters that
 * hold took it (1) or were shadows without room (0). It outlives the claim by an hour, for those who settle late.
 */
export const records = `
local function write_record(key, claim)
  local value = text(claim.made) .. ':' .. text(claim.ends) .. ':' .. claim.taken
  redis.call('SET', key, value, 'PX', kept_ms(claim.ends - now + HOUR))
end

local function read_record(key)
  local made, ends, taken = string.match(redis.call('GET', key) or '', '^(%d+):(%d+):([01]+)$')
  return made and { made = tonumber(made), ends = tonumber(ends), taken = taken }
end
`
