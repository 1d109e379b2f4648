import type { About } from '../../src/api.ts'
import type { ConsoleApi } from '../server/console-api.ts'
import { storeCallerKey, storedCallerKey } from '../session/stored-keys.ts'
import { createStore, type Store } from '../state/store.ts'
import { addPiece } from './add-piece.ts'
import { chatRequest } from './chat-request.ts'
import type {
  ChatFailure,
  ChatImage,
  ChatOptions,
  Exchange,
  SentRequest,
  ToolCall,
  Turn,
} from './chat-types.ts'
import { sendChat } from './send-chat.ts'

/** The conversation with one model. */
export interface ChatSide {
  readonly model: string
  readonly turns: readonly Turn[]
  /** The last request and its answer, as they went over the wire. */
  readonly exchange: Exchange | undefined
  readonly running: boolean
}

export interface ChatState {
  /** The options of all sides, without the model. */
  readonly options: Omit<ChatOptions, 'model'>
  readonly draft: string
  /** The images of the draft. */
  readonly images: readonly ChatImage[]
  /** One, or two that are compared. */
  readonly sides: readonly ChatSide[]
}

/** What a conversation can be filled with, such as that of a recorded request. */
export interface ChatContent {
  readonly options?: Partial<ChatOptions>
  readonly draft?: string
  readonly images?: readonly ChatImage[]
  readonly turns?: readonly Turn[]
}

/** A conversation. It goes on while other views are looked at. */
export interface Chat {
  readonly state: Store<ChatState>
  /** Changes options; `model` is that of the first side. */
  choose(options: Partial<ChatOptions>): void
  write(draft: string): void
  attach(images: readonly ChatImage[]): void
  /** Removes an image of the draft. */
  detach(image: ChatImage): void
  /** Compares with a second model, which gets the conversation so far; `undefined`: no longer. */
  compare(model: string | undefined): void
  /** Replaces the conversation, and stops what is running. Options that are not given stay, but for those of the request. */
  fill(content: ChatContent): void
  /** Sends the draft to each model; resolves when the answers have ended, however they ended. */
  send(): Promise<void>
  /** Sends the results of the tool calls of the last answer of a side, in the order of the calls. */
  sendResults(side: number, results: readonly string[]): Promise<void>
  /** Stops what is running: the gateway ends the upstream's call. */
  stop(): void
  clear(): void
}

/** The tool calls of the last answer, which wait for their results. */
export function openCalls({ turns }: Pick<ChatSide, 'turns'>): readonly ToolCall[] {
  const last = turns.at(-1)
  return last?.role === 'assistant' && last.state === 'complete' ? (last.calls ?? []) : []
}

/** A conversation with the gateway beside the page. Without a caller's key the console calls as itself. */
export function createChat(
  adminKey: string,
  about: Pick<About, 'base' | 'models'>,
  api: Pick<ConsoleApi, 'request'>,
): Chat {
  const state = createStore<ChatState>({
    options: { ...unsetOptions, dialect: 'chat', callerKey: storedCallerKey() },
    draft: '',
    images: [],
    sides: [emptySide(about.models[0] ?? '')],
  })
  /** What runs on each side. */
  const running: (AbortController | undefined)[] = []

  const changeSide = (at: number, change: (side: ChatSide) => ChatSide) =>
    state.update(last => ({
      ...last,
      sides: last.sides.map((side, index) => (index === at ? change(side) : side)),
    }))
  const changeLast = (at: number, change: (turn: Turn) => Turn) =>
    changeSide(at, side => ({ ...side, turns: [...side.turns.slice(0, -1), change(side.turns.at(-1)!)] }))
  const stopAll = () => {
    for (const controller of running.splice(0)) controller?.abort()
  }

  /** Whose doing it was is known to the server: a provider may have refused, or the gateway. */
  const explain = async (requestId: string, failure: ChatFailure): Promise<void> => {
    const request = await api.request(requestId).catch(() => undefined)
    if (request === undefined) return
    const explained = (turn: Turn): Turn =>
      turn.requestId === requestId ? { ...turn, failure: { ...failure, outcome: request.outcome } } : turn
    state.update(last => ({
      ...last,
      sides: last.sides.map(side => ({ ...side, turns: side.turns.map(explained) })),
    }))
  }

  /** Sends a side's conversation with further turns. */
  const ask = async (at: number, added: readonly Turn[]): Promise<void> => {
    const { options, sides } = state.get()
    const side = sides[at]!
    const controller = new AbortController()
    running[at] = controller
    const isCurrent = () => running[at] === controller
    const turns = [...side.turns, ...added]
    const request = chatRequest(about, { ...options, model: side.model }, turns, adminKey)
    const exchange = unanswered(request)
    const answer: Turn = { role: 'assistant', text: '', state: 'streaming' }
    changeSide(at, last => ({ ...last, turns: [...turns, answer], exchange, running: true }))
    const outcome = await sendChat(request, controller.signal, {
      pieces: pieces => {
        if (isCurrent()) changeLast(at, turn => pieces.reduce(addPiece, turn))
      },
      exchange: change => {
        if (isCurrent()) changeSide(at, last => ({ ...last, exchange: change(last.exchange ?? exchange) }))
      },
    })
    if (!isCurrent()) return
    running[at] = undefined
    changeLast(at, turn => ({ ...turn, ...outcome }))
    const { failure, requestId } = outcome
    if (failure !== undefined && requestId !== undefined) void explain(requestId, failure)
    changeSide(at, last => ({ ...last, running: false }))
  }

  return {
    state,
    choose: ({ model, ...changes }) => {
      if (changes.callerKey !== undefined) storeCallerKey(changes.callerKey)
      state.update(last => ({ ...last, options: { ...last.options, ...changes } }))
      if (model !== undefined) changeSide(0, side => ({ ...side, model }))
    },
    write: draft => state.update(last => ({ ...last, draft })),
    attach: images => state.update(last => ({ ...last, images: [...last.images, ...images] })),
    detach: image => state.update(last => ({ ...last, images: last.images.filter(each => each !== image) })),
    compare: model => {
      const [first, second] = state.get().sides
      if (model === undefined) {
        running[1]?.abort()
        running.length = Math.min(running.length, 1)
        state.update(last => ({ ...last, sides: [first!] }))
      } else if (second === undefined) {
        const turns = first!.turns.filter(turn => turn.state !== 'streaming')
        state.update(last => ({ ...last, sides: [first!, { ...emptySide(model), turns }] }))
      } else {
        changeSide(1, side => ({ ...side, model }))
      }
    },
    fill: ({ options = {}, draft = '', images = [], turns = [] }) => {
      stopAll()
      state.update(last => {
        const { model = last.sides[0]!.model, ...changes } = options
        const { callerKey, dialect } = last.options
        return {
          options: { ...unsetOptions, callerKey, dialect, ...changes },
          draft,
          images,
          sides: [{ ...emptySide(model), turns }],
        }
      })
    },
    send: async () => {
      const { draft, images, sides } = state.get()
      const text = draft.trim()
      if (text === '' && images.length === 0) return
      if (sides.some(side => side.running || openCalls(side).length > 0)) return
      const asked: Turn = { role: 'user', text, state: 'complete', ...(images.length > 0 && { images }) }
      state.update(last => ({ ...last, draft: '', images: [] }))
      await Promise.all(sides.map((_, at) => ask(at, [asked])))
    },
    sendResults: async (at, results) => {
      const side = state.get().sides[at]
      if (side === undefined || side.running) return
      const turns = openCalls(side).map(
        ({ id, name }, index): Turn => ({
          role: 'tool',
          text: results[index] ?? '',
          state: 'complete',
          resultOf: { id, name },
        }),
      )
      if (turns.length > 0) await ask(at, turns)
    },
    stop: () => {
      for (const controller of running) controller?.abort()
    },
    clear: () => {
      stopAll()
      state.update(last => ({
        ...last,
        images: [],
        sides: last.sides.map(({ model }) => emptySide(model)),
      }))
    },
  }
}

const unsetOptions = {
  system: '',
  temperature: '',
  maxTokens: '',
  topP: '',
  stop: '',
  seed: '',
  effort: '',
  tools: [],
} as const

function emptySide(model: string): ChatSide {
  return { model, turns: [], exchange: undefined, running: false }
}

/** An exchange whose answer has not begun. */
function unanswered(request: SentRequest): Exchange {
  return { request, status: undefined, headers: [], events: [], body: undefined }
}
