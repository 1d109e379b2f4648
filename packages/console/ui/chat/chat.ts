import type { About } from '../../src/api.ts'
import type { ConsoleApi } from '../server/console-api.ts'
import { storeCallerKey, storedCallerKey } from '../session/stored-keys.ts'
import { createStore, type Store } from '../state/store.ts'
import { chatRequest } from './chat-request.ts'
import type { ChatFailure, ChatOptions, Exchange, SentRequest, Turn } from './chat-types.ts'
import { sendChat } from './send-chat.ts'

export interface ChatState {
  readonly options: ChatOptions
  readonly draft: string
  readonly turns: readonly Turn[]
  /** The last request and its answer, as they went over the wire. */
  readonly exchange: Exchange | undefined
  readonly running: boolean
}

/** A conversation. It goes on while other views are looked at. */
export interface Chat {
  readonly state: Store<ChatState>
  choose(options: Partial<ChatOptions>): void
  write(draft: string): void
  /** Asks with the draft; resolves when the answer has ended, however it ended. */
  send(): Promise<void>
  /** Leaves: the gateway ends the upstream's call. */
  stop(): void
  clear(): void
}

/** A conversation with the gateway beside the page. Without a caller's key the console calls as itself. */
export function createChat(
  adminKey: string,
  about: Pick<About, 'base' | 'models'>,
  api: Pick<ConsoleApi, 'request'>,
): Chat {
  const options: ChatOptions = {
    dialect: 'chat',
    model: about.models[0] ?? '',
    system: '',
    temperature: '',
    maxTokens: '',
    callerKey: storedCallerKey(),
  }
  const state = createStore<ChatState>({ options, draft: '', turns: [], exchange: undefined, running: false })
  let running: AbortController | undefined

  const changeLast = (change: (turn: Turn) => Turn) =>
    state.update(last => ({ ...last, turns: [...last.turns.slice(0, -1), change(last.turns.at(-1)!)] }))

  /** Whose doing it was is known to the server: a provider may have refused, or the gateway. */
  const explain = async (requestId: string, failure: ChatFailure): Promise<void> => {
    const request = await api.request(requestId).catch(() => undefined)
    if (request === undefined) return
    const { outcome } = request
    state.update(last => ({
      ...last,
      turns: last.turns.map(turn =>
        turn.requestId === requestId ? { ...turn, failure: { ...failure, outcome } } : turn,
      ),
    }))
  }

  return {
    state,
    choose: changes => {
      if (changes.callerKey !== undefined) storeCallerKey(changes.callerKey)
      state.update(last => ({ ...last, options: { ...last.options, ...changes } }))
    },
    write: draft => state.update(last => ({ ...last, draft })),
    send: async () => {
      const { draft, options, turns } = state.get()
      if (running !== undefined || draft.trim() === '') return
      const controller = new AbortController()
      running = controller
      const asked: Turn = { role: 'user', text: draft.trim(), state: 'complete' }
      const request = chatRequest(about, options, [...turns, asked], adminKey)
      const answer: Turn = { role: 'assistant', text: '', state: 'streaming' }
      const exchange = unanswered(request)
      state.update(last => ({
        ...last,
        draft: '',
        turns: [...turns, asked, answer],
        exchange,
        running: true,
      }))
      const outcome = await sendChat(request, controller.signal, {
        text: piece => {
          if (running === controller) changeLast(turn => ({ ...turn, text: turn.text + piece }))
        },
        exchange: change => {
          if (running === controller)
            state.update(last => ({ ...last, exchange: change(last.exchange ?? exchange) }))
        },
      })
      if (running !== controller) return
      running = undefined
      changeLast(turn => ({ ...turn, ...outcome }))
      const { failure, requestId } = outcome
      if (failure !== undefined && requestId !== undefined) void explain(requestId, failure)
      state.update(last => ({ ...last, running: false }))
    },
    stop: () => running?.abort(),
    clear: () => {
      running?.abort()
      running = undefined
      state.update(last => ({ ...last, turns: [], exchange: undefined, running: false }))
    },
  }
}

/** An exchange whose answer has not begun. */
function unanswered(request: SentRequest): Exchange {
  return { request, status: undefined, headers: [], events: [], body: undefined }
}
