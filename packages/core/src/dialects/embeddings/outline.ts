import type { Outline } from '../../contracts/outline.ts'
import type { JsonObject, JsonValue } from '../../protocol/chat.ts'
import { jsonMember } from '../../protocol/json-members.ts'

/** Looks at the parsed body of a request for embeddings. Each member is computed when it is read. */
export function embeddingsOutline(body: JsonObject): Outline {
  return new EmbeddingsOutline(body)
}

class EmbeddingsOutline implements Outline {
  readonly stream = false
  readonly #body: JsonObject
  /** Stored, because it takes a pass over all inputs. `null`: not counted yet. */
  #promptTokens: number | null | undefined = null

  constructor(body: JsonObject) {
    this.#body = body
  }

  get user(): string | undefined {
    const user = jsonMember(this.#body, 'user')
    return typeof user === 'string' ? user : undefined
  }

  /** The number of token ids. `undefined` for texts, whose tokens are estimated. */
  get promptTokens(): number | undefined {
    if (this.#promptTokens === null) this.#promptTokens = tokensOf(jsonMember(this.#body, 'input'))
    return this.#promptTokens
  }
}

/** Returns the number of token ids in an array of them, or of arrays of them; `undefined` for anything else. */
function tokensOf(input: JsonValue | undefined): number | undefined {
  if (!Array.isArray(input) || input.length === 0) return undefined
  if (isTokens(input)) return input.length
  let tokens = 0
  for (const item of input as readonly JsonValue[]) {
    if (!isTokens(item)) return undefined
    tokens += item.length
  }
  return tokens
}

function isTokens(value: JsonValue): value is readonly number[] {
  return Array.isArray(value) && value.every(item => typeof item === 'number')
}
