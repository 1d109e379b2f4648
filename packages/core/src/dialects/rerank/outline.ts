import type { Outline } from '../../contracts/outline.ts'
import { utf8Length } from '../../primitives/utf8-length.ts'
import type { JsonObject, JsonValue } from '../../protocol/chat.ts'
import { jsonItems, jsonMember } from '../../protocol/json-members.ts'

/** The usual terms: a search unit is a query with up to 100 documents of up to 500 tokens. */
const documentsPerUnit = 100
const tokensPerDocument = 500

/** Looks at the parsed body of a request to rank documents. Each member is computed when it is read. */
export function rerankOutline(body: JsonObject): Outline {
  return new RerankOutline(body)
}

class RerankOutline implements Outline {
  readonly stream = false
  readonly #body: JsonObject
  /** Stored, because it takes a pass over all texts. */
  #sizes: Sizes | undefined

  constructor(body: JsonObject) {
    this.#body = body
  }

  /** A model reads the query with each document, so that a long query counts many times. */
  get promptTokens(): number {
    const { query, documents } = this.#read()
    return documents.reduce((tokens, document) => tokens + query + document, 0)
  }

  /** A long document is billed as several. */
  get searchUnits(): number {
    const { query, documents } = this.#read()
    const parts = documents.reduce(
      (count, document) => count + Math.max(1, Math.ceil((query + document) / tokensPerDocument)),
      0,
    )
    return Math.max(1, Math.ceil(parts / documentsPerUnit))
  }

  #read(): Sizes {
    this.#sizes ??= {
      query: tokensOf(jsonMember(this.#body, 'query')),
      documents: jsonItems(jsonMember(this.#body, 'documents')).map(each =>
        tokensOf(typeof each === 'string' ? each : jsonMember(each, 'text')),
      ),
    }
    return this.#sizes
  }
}

/** Estimated tokens, rather too many than too few. */
interface Sizes {
  readonly query: number
  readonly documents: readonly number[]
}

function tokensOf(value: JsonValue | undefined): number {
  return typeof value === 'string' ? Math.ceil(utf8Length(value) / 3) : 0
}
