import type { PartialChunk, PartialCompletion, PartialMessage, PartialUsage } from '@sluice/core/provider'

const finishReasons: readonly unknown[] = ['stop', 'length', 'tool_calls', 'content_filter', 'function_call']
const texts = ['content', 'refusal', 'reasoning_content'] as const
const lists = ['reasoning_details', 'annotations', 'citations'] as const

/** Returns type errors of a completion or a chunk, by the contract. */
export function typeIssues(part: PartialCompletion | PartialChunk): string[] {
  if (!isObject(part)) return [`a part is ${String(part)}`]
  if (!Array.isArray(part.choices)) return ['choices is no array']
  return [
    ...part.choices.flatMap(choiceIssues),
    ...usageIssues(part.usage),
    ...optionalText(part, 'model'),
    ...fieldsIssues(part),
  ]
}

function choiceIssues(
  choice: PartialCompletion['choices'][number] | PartialChunk['choices'][number],
): string[] {
  const { index, finish_reason: reason } = choice
  const message = 'delta' in choice ? choice.delta : choice.message
  return [
    ...(Number.isSafeInteger(index) && index >= 0 ? [] : [`the index of a choice is ${index}`]),
    ...(reason == null || finishReasons.includes(reason) ? [] : [`finish_reason is ${reason}`]),
    ...(isObject(message) ? messageIssues(message) : ['a choice has neither delta nor message']),
    ...fieldsIssues(choice),
  ]
}

function messageIssues(message: PartialMessage): string[] {
  const { tool_calls: calls = [] } = message
  return [
    ...texts.flatMap(name => (message[name] === null ? [] : optionalText(message, name))),
    ...lists.flatMap(name =>
      (message[name] ?? []).every(isObject) ? [] : [`${name} has an entry that is no object`],
    ),
    ...calls.flatMap(call => [
      ...optionalText(call, 'id'),
      ...optionalText(call.function ?? {}, 'name'),
      ...optionalText(call.function ?? {}, 'arguments'),
      ...optionalText(call.custom ?? {}, 'name'),
      ...optionalText(call.custom ?? {}, 'input'),
    ]),
    ...fieldsIssues(message),
  ]
}

function usageIssues({ provider_specific_fields, ...counts }: PartialUsage = {}): string[] {
  return [
    ...Object.entries(counts).flatMap(([name, count]) =>
      count === undefined || (Number.isSafeInteger(count) && count >= 0) ? [] : [`${name} is ${count}`],
    ),
    ...fieldsIssues({ provider_specific_fields }),
  ]
}

/** They are written as JSON, for callers who may merge them into objects. */
function fieldsIssues({
  provider_specific_fields: fields,
}: {
  provider_specific_fields?: unknown
}): string[] {
  if (fields === undefined) return []
  if (!isObject(fields) || Array.isArray(fields)) return ['provider_specific_fields is no object']
  let text: string
  try {
    text = JSON.stringify(fields)
  } catch {
    return ['provider_specific_fields is no JSON']
  }
  return text.includes('"__proto__":') ? ['provider_specific_fields has a key __proto__'] : []
}

/** Returns violations in the order of a stream's chunks, by the contract. */
export function orderIssues(chunks: readonly PartialChunk[]): string[] {
  const finished = new Set<number>()
  const issues: string[] = []
  let counts: Readonly<Record<string, number | undefined>> = {}
  let countsAt = -1
  let contentAt = -1
  for (const [at, { choices, usage }] of chunks.entries()) {
    for (const { index, delta, finish_reason: reason } of choices) {
      if (hasContent(delta)) {
        contentAt = at
        if (finished.has(index)) issues.push(`choice ${index} goes on after its finish reason`)
      }
      if (reason == null) continue
      if (finished.has(index)) issues.push(`choice ${index} has a second finish reason`)
      finished.add(index)
    }
    if (usage === undefined) continue
    countsAt = at
    const { provider_specific_fields: _, ...counted } = usage
    for (const [name, count] of Object.entries(counted))
      if (count < (counts[name] ?? 0)) issues.push(`${name} falls from ${counts[name]} to ${count}`)
    counts = { ...counts, ...counted }
  }
  if (countsAt >= 0 && countsAt < contentAt) issues.push('content comes after the last token counts')
  return issues
}

function hasContent(delta: PartialMessage): boolean {
  const { content, refusal, reasoning_content: reasoning, tool_calls: calls = [] } = delta
  return Boolean(content || refusal || reasoning || calls.length > 0)
}

function optionalText<Name extends string>(owner: { readonly [N in Name]?: unknown }, name: Name): string[] {
  const value = owner[name]
  return value === undefined || typeof value === 'string' ? [] : [`${name} is ${typeof value}`]
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
