import type { PartialChunk, PartialCompletion } from '@sluice/core/provider'
import type { Plan } from '../stand-ins/plan.ts'

interface Said {
  readonly text: string
  readonly calls: readonly { readonly name: string; readonly input: unknown }[]
  readonly finish: string | undefined
}

/** What the parts of an answer say together, of its first choice. */
export function said(parts: readonly (PartialChunk | PartialCompletion)[]): Said {
  let text = ''
  let finish: string | undefined
  const calls: { index: number | undefined; name: string; json: string }[] = []
  for (const choice of parts.flatMap(
    ({ choices }) => choices as readonly PartialChunk['choices'][number][],
  )) {
    const { content, tool_calls: pieces = [] } = 'delta' in choice ? choice.delta : (choice as Whole).message
    text += content ?? ''
    finish = choice.finish_reason ?? finish
    for (const { index, function: made = {} } of pieces) {
      if (made.name !== undefined) calls.push({ index, name: made.name, json: made.arguments ?? '' })
      else (calls.findLast(call => call.index === index) ?? calls.at(-1))!.json += made.arguments ?? ''
    }
  }
  return {
    text,
    calls: calls.map(({ name, json }) => ({ name, input: JSON.parse(json === '' ? '{}' : json) })),
    // That tools were called is put right by the gateway.
    finish: calls.length > 0 && finish === 'stop' ? 'tool_calls' : finish,
  }
}

/** What an answer by this plan has to say. */
export function planned({ text, calls, end }: Plan): Said {
  const finish = { done: 'stop', 'stop sequence': 'stop', length: 'length', calls: 'tool_calls' }[end]
  return {
    text,
    calls: calls.map(({ name, input }) => ({ name, input: JSON.parse(JSON.stringify(input)) })),
    finish,
  }
}

type Whole = PartialCompletion['choices'][number]
