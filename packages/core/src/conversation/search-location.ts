import type { JsonObject, JsonValue } from '../protocol/chat.ts'

/** Returns the options of a web search for a location, which other dialects have without `approximate`; none for no location. */
export function searchLocation(location: JsonValue | undefined): JsonObject {
  if (typeof location !== 'object' || location === null || Array.isArray(location)) return {}
  const { type: _, ...approximate } = location as JsonObject
  const given = Object.entries(approximate).filter(([, value]) => typeof value === 'string')
  return given.length === 0
    ? {}
    : { user_location: { type: 'approximate', approximate: Object.fromEntries(given) } }
}
