/**
 * A rate, stored as `arrival:reserved`: the time at which the bucket is empty again, and the cost that claims reserve, which
 * does not drain with time. A missing key means an arrival in the past.
 */
export const rate = `
local rate = {}

local function charge(counter, cost) counter.at = math.min(counter.at + cost, MOST) end

function rate.load(counter)
  local at, reserved = string.match(redis.call('GET', counter.state) or '', '^(%d+):(%d+)$')
  counter.at, counter.reserved = tonumber(at or now), tonumber(reserved or 0)
  if counter.reserved > 0 then
    counter.changed = end_expired(counter, function(refund, cost, expired)
      counter.reserved = math.max(0, counter.reserved - cost)
      counter.at = math.max(counter.at, expired)
      charge(counter, cost - refund)
    end)
    -- Both keys expire together. If the server evicts one of them, no reservation lasts for ever.
    if redis.call('EXISTS', counter.holds) == 0 then counter.reserved = 0 end
  end
  counter.at = math.max(counter.at, now)
end

function rate.store(counter)
  if counter.at <= now and counter.reserved <= 0 then return redis.call('DEL', counter.state) end
  local span = math.max(counter.at - now, counter.reserved > 0 and SPANS.day or 0)
  redis.call('SET', counter.state, text(counter.at) .. ':' .. text(counter.reserved), 'PX', ttl_ms(span))
  if counter.reserved > 0 then keep(counter.holds, span) end
end

function rate.is_over(counter) return counter.at + counter.reserved + counter.take > now + counter.window end

function rate.take(counter, id, ttl)
  if counter.refund then
    counter.reserved = math.min(counter.reserved + counter.take, MOST)
    hold(counter, held_as(id, counter, counter.take), ttl)
  else
    charge(counter, counter.take)
  end
  rate.store(counter)
end

function rate.settle(counter, id, admitted, live)
  -- Loads before it removes the hold, so that the amount reserved still includes it.
  rate.load(counter)
  if live then
    if redis.call('ZREM', counter.holds, held_as(id, counter, counter.take)) == 1 then
      counter.reserved = math.max(0, counter.reserved - counter.take)
    end
    charge(counter, counter.charged)
  else
    charge(counter, math.max(0, counter.charged - (counter.take - counter.refund)))
  end
  rate.store(counter)
end

-- Returns the amount used, and microseconds until the counter is empty and until such a claim fits.
function rate.usage(counter, over)
  local used = counter.at - now + counter.reserved
  local wait = over and used + counter.take - counter.window or 0
  if counter.take > counter.window then wait = NEVER end
  return used, used, wait
end
`
