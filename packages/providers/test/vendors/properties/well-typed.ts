import type { PartialChunk, PartialCompletion, PartialMessage } from '@sluice/core/provider'

const reasons = ['stop', 'length', 'tool_calls', 'content_filter', 'function_call', null, undefined]

/** What in a provider's parts is not of the type that they promise; nothing where all is. */
export function illTyped(parts: readonly (PartialChunk | PartialCompletion)[]): string[] {
  return parts.flatMap(({ choices, usage = {} }) => [
    ...choices.flatMap(choice => [
      ...faults(Number.isInteger(choice.index), `index ${choice.index}`),
      ...faults(reasons.includes(choice.finish_reason), `finish_reason ${choice.finish_reason}`),
      ...messageFaults('delta' in choice ? choice.delta : choice.message),
    ]),
    ...Object.entries(usage).flatMap(([name, count]) =>
      faults(count === undefined || (Number.isSafeInteger(count) && count >= 0), `${name} ${count}`),
    ),
  ])
}

function messageFaults(message: PartialMessage): string[] {
  const { content, refusal, reasoning_content, reasoning_details, annotations, tool_calls = [] } = message
  return [
    ...faults(isText(content), 'content'),
    ...faults(isText(refusal), 'refusal'),
    ...faults(isText(reasoning_content), 'reasoning_content'),
    ...faults(areObjects(reasoning_details), 'reasoning_details'),
    ...faults(areObjects(annotations), 'annotations'),
    ...tool_calls.flatMap(({ id, function: made = {} }) => [
      ...faults(isText(id), 'id of a call'),
      ...faults(isText(made.name), 'name of a call'),
      ...faults(isText(made.arguments), 'arguments of a call'),
    ]),
  ]
}

function faults(right: boolean, words: string): string[] {
  return right ? [] : [words]
}

function isText(value: unknown): boolean {
  return value === undefined || value === null || typeof value === 'string'
}

function areObjects(value: readonly unknown[] | undefined): boolean {
  return value === undefined || value.every(item => typeof item === 'object' && item !== null)
}
