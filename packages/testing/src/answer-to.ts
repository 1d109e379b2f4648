import type { JsonObject } from '@sluice/core/provider'
import { type AnswerContent, chunks, completion, sse, usage } from './bodies.ts'
import type { ReplyStep, StreamStep } from './script.ts'
import { reply, stream } from './steps.ts'

/** What an answer does for a request with this body. */
export function answerTo(json: JsonObject | undefined, content: AnswerContent): ReplyStep | StreamStep {
  if (json?.stream !== true) return reply(completion(content))
  const options = json.stream_options
  const counted =
    typeof options === 'object' && options !== null && 'include_usage' in options && options.include_usage
  const { usage: counts = usage(9, 12), ...rest } = content
  return stream(sse(chunks(counted === true ? { ...rest, usage: counts } : rest)))
}
