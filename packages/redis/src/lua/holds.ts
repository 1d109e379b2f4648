/**
 * What claims hold: of each count a sorted set of `id:refund:detail`, in the order in which their time is over. The
 * refund is what a claim that is never settled is given back. The detail is the window of a sum, and all that is held
 * of a rate.
 */
export const holds = `
local function held_as(id, counter, detail)
  if counter.kind == 'lease' then return id end
  return id .. ':' .. text(counter.refund) .. ':' .. text(detail)
end

local function hold(counter, member, ttl)
  redis.call('ZADD', counter.holds, text(now + ttl), member)
  keep(counter.holds, ttl)
end

-- Calls give_back for each claim whose time is over, and holds it no more. Says whether there was one.
local function end_expired(counter, give_back)
  local ended = false
  while true do
    local found = redis.call('ZRANGEBYSCORE', counter.holds, '-inf', text(now), 'WITHSCORES', 'LIMIT', 0, 500)
    if #found == 0 then return ended end
    ended = true
    for at = 1, #found, 2 do
      local refund, detail = string.match(found[at], '^[^:]*:(%d+):(%-?%d+)$')
      give_back(tonumber(refund), tonumber(detail), tonumber(found[at + 1]))
      redis.call('ZREM', counter.holds, found[at])
    end
  end
end
`
