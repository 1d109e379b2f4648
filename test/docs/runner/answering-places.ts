import type { ChatRequest } from '@sluice/core'
import type { FakeReply } from '@sluice/providers'
import { onTestFinished, vi } from 'vitest'

type Reply = string | FakeReply

/** The places of a snippet: what they answer, by their models, and what they were asked, in order. */
export interface Places {
  /** Default: each answers by its model's name. */
  readonly answers: Map<string, Reply | ((request: ChatRequest) => Reply | Promise<Reply>)>
  readonly asked: ChatRequest[]
  /** Makes places out of each `local()` in a snippet. */
  edit(code: string): string
}

const hook = 'answerOfPlace'

/** Until the test ends. */
export function answeringPlaces(): Places {
  const asked: Places['asked'] = []
  const answers: Places['answers'] = new Map()
  vi.stubGlobal(hook, (request: ChatRequest) => {
    asked.push(request)
    const answer = answers.get(request.model) ?? request.model
    return typeof answer === 'function' ? answer(request) : answer
  })
  onTestFinished(() => void vi.unstubAllGlobals())
  const edit = (code: string) =>
    code.replaceAll('local()', `local({ script: request => globalThis.${hook}(request) })`)
  return { answers, asked, edit }
}
