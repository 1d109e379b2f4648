type Json = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What of counts is wrong (protocol section 2): every one a whole number from 0, the total their sum. */
export function usageFaults(usage: unknown): string[] {
  if (!isObject(usage)) return ['no counts']
  const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total, ...details } = usage
  const counts = [
    prompt,
    completion,
    total,
    ...Object.values(details).flatMap(detail => Object.values(detail as Json)),
  ]
  const isCount = (count: unknown) => Number.isSafeInteger(count) && (count as number) >= 0
  const sums = Number(prompt) + Number(completion) === total
  return counts.length >= 9 && counts.every(isCount) && sums ? [] : [`counts ${JSON.stringify(usage)}`]
}

/** What of an error's body is wrong: four keys, small, nothing else beside. */
export function errorFaults(body: unknown): string[] {
  if (!isObject(body) || !isObject(body.error)) return ['no error object']
  const keys = [...Object.keys(body), ...Object.keys(body.error)].join()
  const isSmall = JSON.stringify(body).length < 5_000
  const { message } = body.error
  return keys === 'error,message,type,param,code' && isSmall && typeof message === 'string' && message !== ''
    ? []
    : [`an error of ${keys}: ${JSON.stringify(body).slice(0, 300)}`]
}

/** What of a whole answer is wrong (protocol section 2). */
export function completionFaults(body: unknown): string[] {
  if (!isObject(body)) return ['no object']
  const keys = Object.keys(body).join().replace(',service_tier', '')
  if (keys !== 'id,object,created,model,choices,usage,system_fingerprint') return [`keys ${keys}`]
  const choices = body.choices as readonly Json[]
  const faults = usageFaults(body.usage)
  if (choices.length === 0) faults.push('no choice')
  for (const [at, { index, message, finish_reason: reason }] of choices.entries()) {
    if (index !== at) faults.push(`index ${index} at ${at}`)
    if (!/^(?:stop|length|tool_calls|content_filter|function_call)$/.test(String(reason)))
      faults.push(`ends as ${reason}`)
    if (!isObject(message) || message.role !== 'assistant') return [...faults, 'no message']
    for (const key of ['content', 'refusal']) {
      if (message[key] !== null && typeof message[key] !== 'string') faults.push(`${key} that is no text`)
    }
    const calls = (message.tool_calls ?? []) as readonly Json[]
    if ('tool_calls' in message && calls.length === 0) faults.push('an empty list of calls')
    for (const { id, type } of calls) {
      if (typeof id !== 'string' || id === '' || (type !== 'function' && type !== 'custom'))
        faults.push('a call without id')
    }
  }
  return faults
}
