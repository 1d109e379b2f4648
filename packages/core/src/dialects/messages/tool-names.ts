import { digestedName, maxFunctionName } from '../../conversation/function-name.ts'
import type { JsonObject } from '../../protocol/chat.ts'
import { jsonItems, jsonMember } from '../../protocol/json-members.ts'

/** Returns the name of a tool as that of a function: the protocol has names of 128 characters, and other vendors half of that. */
export function functionNameOf(name: string): string {
  return name.length > maxFunctionName ? digestedName(name) : name
}

/** Returns the names of a request's tools that are too long for a function, by those that functions have instead. */
export function longNamesIn(body: JsonObject): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const tool of jsonItems(jsonMember(body, 'tools'))) {
    const name = jsonMember(tool, 'name')
    if (typeof name === 'string' && name.length > maxFunctionName) names.set(functionNameOf(name), name)
  }
  return names
}
