import type { Told } from './ask.ts'

/** What an answer has to be: whole; a stream with its end mark; an error, or a stream whose last event is one. */
export type AnswerForm = 'whole' | 'done' | 'error'

/** Throws where a client was told anything else. A `status` of `undefined` may be any. */
export function expectTold(told: Told, status: number | undefined, form: AnswerForm): void {
  const { tail, ended } = told
  const done = tail.endsWith('data: [DONE]\n\n')
  const error = tail.includes('"error":{')
  const sound = form === 'done' ? done : done === false && error === (form === 'error')
  if (sound && ended === 'whole' && (status ?? told.status) === told.status) return
  throw new Error(`got ${told.status}, ${ended}, ending with ${JSON.stringify(tail.slice(-200))}`)
}
