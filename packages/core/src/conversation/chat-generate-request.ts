import type { ChatRequest, JsonObject } from '../protocol/chat.ts'
import type { GenerateRequest, Settings } from './generate-request.ts'
import type { Turn } from './turns.ts'

/** A request in the dialect of chat completions. */
export class ChatGenerateRequest implements GenerateRequest {
  readonly body: JsonObject
  readonly #input: ChatRequest

  constructor(input: ChatRequest, body: JsonObject) {
    this.#input = input
    this.body = body
  }

  get dialect(): string {
    return 'chat'
  }

  get model(): string {
    return this.#input.model
  }

  get stream(): boolean {
    return this.#input.stream === true
  }

  settings(): Settings {
    return this.#input as unknown as Settings
  }

  turns(): readonly Turn[] {
    throw new TypeError('not built')
  }

  chat(): ChatRequest {
    return this.#input
  }

  pathOf(path: string): string {
    return path
  }

  withSettings(settings: Settings): GenerateRequest {
    const { messages } = this.#input
    return new ChatGenerateRequest({ ...settings, messages } as unknown as ChatRequest, this.body)
  }

  withMaxOutput(tokens: number): GenerateRequest {
    const input: { max_completion_tokens?: number } = this.#input
    input.max_completion_tokens = tokens
    return this
  }
}
