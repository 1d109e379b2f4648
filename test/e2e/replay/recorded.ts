import { type Answered, loggedIn, nothingSaid, type Said } from './said.ts'

// What a recording says, read as plainly as possible and by nothing of the project.

type Json = Record<string, unknown>

/** What a recorded stream says: the pieces of its `data` lines, one after the other. */
export function recordedStream(bytes: Uint8Array): Answered {
  const answered: Answered = { choices: [], usage: undefined, error: false }
  for (const line of Buffer.from(bytes)
    .toString('utf8')
    .split(/\r\n|\r|\n/)) {
    const [, data] = /^data: ?(.*)$/.exec(line) ?? []
    if (data === undefined || data === '[DONE]') continue
    const chunk = JSON.parse(data) as Json
    if (chunk.error !== undefined) answered.error = true
    for (const choice of (chunk.choices ?? []) as Json[]) {
      const said = choiceAt(answered, Number(choice.index ?? 0))
      add(said, (choice.delta ?? {}) as Json)
      said.logged.push(...loggedIn(choice.logprobs))
      said.finish = (choice.finish_reason as string) || said.finish
    }
    answered.usage = usageOf(chunk) ?? answered.usage
  }
  return answered
}

/** What a recorded whole answer says. */
export function recordedWhole(bytes: Uint8Array): Answered {
  const whole = JSON.parse(Buffer.from(bytes).toString('utf8')) as Json
  const answered: Answered = { choices: [], usage: usageOf(whole), error: false }
  for (const choice of (whole.choices ?? []) as Json[]) {
    const said = choiceAt(answered, Number(choice.index))
    add(said, (choice.message ?? {}) as Json)
    said.logged.push(...loggedIn(choice.logprobs))
    said.finish = choice.finish_reason as string
  }
  return answered
}

function choiceAt({ choices }: Answered, index: number): Said {
  while (choices.length <= index) choices.push(nothingSaid())
  return choices[index]!
}

function add(said: Said, delta: Json): void {
  const { content } = delta
  if (typeof content === 'string') said.text += content
  if (Array.isArray(content)) for (const part of content as Json[]) addPart(said, part)
  said.reasoning += (delta.reasoning_content ?? delta.reasoning ?? '') as string
  said.refusal += (delta.refusal ?? '') as string
  said.annotations.push(...((delta.annotations ?? []) as unknown[]))
  for (const piece of (delta.tool_calls ?? []) as Json[]) addCall(said.calls, piece)
}

function addPart(said: Said, part: Json): void {
  if (part.type === 'text') said.text += part.text
  if (part.type === 'thinking') for (const inner of part.thinking as Json[]) said.reasoning += inner.text
}

/** A piece that names a function opens a call; another one goes on with the last one. */
function addCall(calls: Said['calls'], piece: Json): void {
  const { name, arguments: text } = (piece.function ?? {}) as Record<string, string | null | undefined>
  if (name) calls.push({ id: (piece.id as string) || undefined, name, arguments: text ?? '' })
  else if (text) calls.at(-1)!.arguments += text
}

function usageOf(answer: Json): Answered['usage'] {
  const usage = (answer.usage ?? (answer.x_groq as Json | undefined)?.usage) as
    | Record<string, number>
    | undefined
  if (usage?.prompt_tokens === undefined) return undefined
  const prompt = usage.prompt_tokens
  // Where the vendor's total holds more than both, it counted the reasoning beside the rest.
  return { prompt, completion: usage.total_tokens! - prompt }
}
