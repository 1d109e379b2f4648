import type { AnswerDelta } from '../contracts/dialect.ts'
import type { ResponseDecision } from '../contracts/hook.ts'
import type { PartialCompletion } from '../contracts/provider.ts'
import type { RequestHooks } from '../hooks/hooks.ts'
import { foldChunks } from '../usage/fold-chunks.ts'

/** A complete response, before a dialect writes it. */
interface ReadResponse {
  readonly completion: PartialCompletion
  readonly deltas: readonly AnswerDelta[]
}

/** A complete response as hooks have left it. */
export interface FilteredResponse extends ReadResponse {
  /** The message with which a hook wants the model to be called again; `undefined`: none does. */
  readonly retry: string | undefined
}

/** Runs the hooks of a complete response: of one that was not streamed. Rejects with what they refuse with, or fail with. */
export async function filterResponse(
  hooks: RequestHooks,
  { completion, deltas }: ReadResponse,
  isRetry: boolean,
): Promise<FilteredResponse> {
  const filter = hooks.chunkFilter()
  if (filter === undefined)
    return runResponseHooks(hooks, { completion, deltas }, { isStream: false, isRetry })
  const filtered = await filter(deltas)
  const response = { completion: withDeltas(completion, filtered), deltas: filtered }
  return runResponseHooks(hooks, response, { isStream: false, isRetry })
}

/** Returns the deltas of a stream that was held back until its end. Rejects as `filterResponse` does. */
export async function filterBufferedStream(
  hooks: RequestHooks,
  deltas: readonly AnswerDelta[],
  model: string | undefined,
): Promise<readonly AnswerDelta[]> {
  const completion = withDeltas({ choices: [], ...(model !== undefined && { model }) }, deltas)
  const filtered = await runResponseHooks(hooks, { completion, deltas }, { isStream: true, isRetry: false })
  return filtered.deltas
}

async function runResponseHooks(
  hooks: RequestHooks,
  given: ReadResponse,
  form: { readonly isStream: boolean; readonly isRetry: boolean },
): Promise<FilteredResponse> {
  let { completion, deltas } = given
  const { retry } = await hooks.onResponse(completion, form, ({ texts = [] }) => {
    deltas = texts.reduce(withText, deltas)
    completion = withDeltas(completion, deltas)
    return completion
  })
  return { completion, deltas, retry }
}

/** Returns a completion with the choices that the deltas are of. */
function withDeltas(completion: PartialCompletion, deltas: readonly AnswerDelta[]): PartialCompletion {
  const { choices } = foldChunks(
    deltas.map(({ index, delta, logprobs, finish, fields }) => ({
      choices: [
        {
          index,
          delta,
          ...(logprobs !== null && { logprobs }),
          ...(finish !== null && { finish_reason: finish }),
          ...(fields !== undefined && { provider_specific_fields: fields }),
        },
      ],
    })),
  )
  return { ...completion, choices }
}

/** Replaces the text of a choice: all of it is where it began. */
function withText(
  deltas: readonly AnswerDelta[],
  { choice, text }: NonNullable<ResponseDecision['texts']>[number],
): readonly AnswerDelta[] {
  const own = deltas.filter(({ index }) => index === choice)
  const at = own.find(({ delta }) => delta.content) ?? own.at(-1)
  if (at === undefined) throw new TypeError(`The response has no choice ${choice}.`)
  return deltas.map(each => {
    if (each.index !== choice) return each
    const { content: _, ...rest } = each.delta
    return { ...each, delta: each === at ? { ...rest, content: text } : rest, logprobs: null }
  })
}
