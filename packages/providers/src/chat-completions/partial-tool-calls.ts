import type { JsonObject, PartialToolCall } from '@sluice/core/provider'
import { countOf, type Fields, isFields, objectsOf, textOf } from '../wire/json-value.ts'

/** Tool calls, or pieces of them, as a vendor gave them; `undefined` where there are none. */
export function partialToolCalls(value: unknown): readonly PartialToolCall[] | undefined {
  return objectsOf(value)?.map(partialToolCall)
}

function partialToolCall(call: Fields): PartialToolCall {
  const index = countOf(call.index)
  const id = textOf(call.id)
  return {
    ...(index === undefined ? {} : { index }),
    // Older Mistral servers write the word.
    ...(id === undefined || id === 'null' ? {} : { id }),
    ...calledTool(call),
    ...(isFields(call.extra_content) ? { extra_content: call.extra_content as JsonObject } : {}),
  }
}

/**
 * The called tool, of one kind. Some servers (Snowflake) send both members with each call and leave one empty: the
 * member that has a name or text decides, then `type`.
 */
function calledTool(call: Fields): Pick<PartialToolCall, 'type' | 'function' | 'custom'> {
  const called = isFields(call.function) ? named(call.function, 'arguments') : undefined
  const custom = isFields(call.custom) ? named(call.custom, 'input') : undefined
  const given = call.type === 'function' || call.type === 'custom' ? call.type : undefined
  const hasFunction = Boolean(called?.name || called?.arguments)
  const hasCustom = Boolean(custom?.name || custom?.input)
  const likely = called === undefined && custom !== undefined ? 'custom' : 'function'
  const kind = hasFunction === hasCustom ? (given ?? likely) : hasCustom ? 'custom' : 'function'
  const type = given === undefined ? {} : ({ type: kind } as const)
  if (kind === 'custom') return custom === undefined ? type : { ...type, custom }
  return called === undefined ? type : { ...type, function: called }
}

/** The older form of a call, or `undefined` where nothing is called. */
export function partialFunctionCall(value: unknown): { name?: string; arguments?: string } | undefined {
  if (!isFields(value)) return undefined
  const call = named(value, 'arguments')
  return call.name === undefined && !call.arguments ? undefined : call
}

function named<Key extends 'arguments' | 'input'>(
  value: Fields,
  key: Key,
): { name?: string } & { [K in Key]?: string } {
  const name = textOf(value.name)
  const text = value[key] === undefined ? undefined : jsonText(value[key])
  const piece: { name?: string; arguments?: string; input?: string } = {}
  if (name !== undefined) piece.name = name
  // Groq writes the word for a call without arguments; only beside a name is it not a piece of longer text.
  if (text !== undefined) piece[key] = name !== undefined && text === 'null' ? '' : text
  return piece as { name?: string } & { [K in Key]?: string }
}

/** Arguments are JSON text in the protocol; some servers give the object itself, or `null`. */
function jsonText(value: unknown): string {
  if (typeof value === 'string') return value
  return value === null ? '' : JSON.stringify(value)
}
