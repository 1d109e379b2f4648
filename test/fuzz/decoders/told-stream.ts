import { errorFaults, isObject, usageFaults } from './told-parts.ts'

const deltaKeys = new Set([
  ...['content', 'refusal', 'reasoning_content', 'reasoning_details', 'tool_calls', 'function_call'],
  ...['audio', 'annotations', 'citations'],
])
const reasons = ['stop', 'length', 'tool_calls', 'content_filter', 'function_call']
const chunkKeys = 'id,object,created,model,system_fingerprint,choices'

/** What a stream told its caller, as far as it matters here. */
export interface ToldStream {
  readonly done: boolean
  readonly failed: boolean
  /** Where it breaks the protocol (section 3); nothing where it keeps to it. */
  readonly faults: readonly string[]
}

type Json = Readonly<Record<string, unknown>>

interface ChoiceSoFar {
  finished: boolean
  calls: number
}

/** Reads a streamed answer by the letter of the protocol. */
export function toldStream(text: string, includeUsage: boolean): ToldStream {
  const faults: string[] = []
  const choices = new Map<unknown, ChoiceSoFar>()
  const blocks = text.split('\n\n')
  if (blocks.pop() !== '') faults.push('it does not end with an empty line')
  let done = false
  let failed = false
  let counted = false
  let head: string | undefined
  for (const block of blocks) {
    if (block.startsWith(':') && !block.includes('\n')) continue
    if (done || failed) faults.push('something comes after the end')
    if (block === 'data: [DONE]') {
      done = true
      continue
    }
    const chunk = chunkOf(block)
    if (chunk === undefined) faults.push(`no event: ${block.slice(0, 200)}`)
    else if (chunk.error !== undefined) {
      failed = true
      faults.push(...errorFaults(chunk))
    } else {
      if (counted) faults.push('a chunk after the counts')
      // A vendor may name no tier, or name it last.
      const { choices: list, usage, service_tier: _, ...rest } = chunk
      head ??= JSON.stringify(rest)
      if (JSON.stringify(rest) !== head) faults.push('a head that changes')
      const keys = Object.keys(chunk).join().replace(',service_tier', '')
      if (keys !== (includeUsage ? `${chunkKeys},usage` : chunkKeys)) faults.push(`keys ${keys}`)
      const [choice, ...more] = Array.isArray(list) ? (list as unknown[]) : []
      if (includeUsage && usage !== null) {
        counted = true
        faults.push(...usageFaults(usage))
        if (choice !== undefined) faults.push('counts beside a choice')
      } else if (!isObject(choice) || more.length > 0) faults.push('not one choice in a chunk')
      else faults.push(...choiceFaults(choice, choices))
    }
  }
  if (done === failed) faults.push('neither one end nor one error')
  const finished = [...choices.values()].filter(choice => choice.finished).length
  if (done && (finished !== choices.size || finished === 0)) faults.push('an end without every reason for it')
  if (done && includeUsage && !counted) faults.push('no counts at the end')
  if (failed && finished > 0) faults.push('a reason to end, and an error after it')
  return { done, failed, faults }
}

function chunkOf(block: string): Json | undefined {
  if (!block.startsWith('data: ') || /[\r\n]/.test(block)) return undefined
  try {
    const value: unknown = JSON.parse(block.slice(6))
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function choiceFaults(choice: Json, choices: Map<unknown, ChoiceSoFar>): string[] {
  const faults: string[] = []
  const { index, delta, finish_reason: reason } = choice
  const { provider_specific_fields: _, ...standard } = choice
  if (Object.keys(standard).join() !== 'index,delta,logprobs,finish_reason') faults.push('keys of a choice')
  if (!isObject(delta)) return ['a delta that is no object']
  const known = choices.get(index)
  if (known === undefined) {
    choices.set(index, { finished: false, calls: 0 })
    if (Object.keys(delta).join() !== 'role,content,refusal' || delta.role !== 'assistant') {
      faults.push(`a choice begins with ${JSON.stringify(delta)}`)
    }
    return reason === null ? faults : [...faults, 'a choice begins with its end']
  }
  if (known.finished) faults.push('a chunk after the end of its choice')
  if (reason !== null) {
    known.finished = true
    if (!reasons.includes(String(reason)) || Object.keys(delta).length > 0) faults.push(`ends as ${reason}`)
    return faults
  }
  const keys = Object.keys(delta)
  if (keys.length === 0 || !keys.every(key => deltaKeys.has(key))) faults.push(`a delta of ${keys.join()}`)
  for (const key of ['content', 'refusal', 'reasoning_content']) {
    if (key in delta && typeof delta[key] !== 'string') faults.push(`${key} that is no text`)
  }
  for (const call of (delta.tool_calls ?? []) as Json[]) faults.push(...callFaults(call, known))
  return faults
}

/** A call begins with its id and name; later pieces have neither, and belong to a call that has begun. */
function callFaults({ index, id, type, function: made, custom }: Json, choice: ChoiceSoFar): string[] {
  if (index !== choice.calls) {
    const goesOn = typeof index === 'number' && index >= 0 && index < choice.calls
    return goesOn && id === undefined && type === undefined
      ? []
      : [`a piece of the call ${index} of ${choice.calls}`]
  }
  choice.calls++
  const named = type === 'custom' ? custom : made
  const isWhole = typeof id === 'string' && id !== '' && isObject(named) && typeof named.name === 'string'
  return isWhole ? [] : [`a call begins with ${JSON.stringify({ id, type, made })}`]
}
