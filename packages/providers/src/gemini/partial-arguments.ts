import { garbledResponse } from '../wire/garbled-response.ts'
import { countOf, type Fields, objectsOf } from '../wire/json-value.ts'

type Container = Record<string, unknown> | unknown[]

const maxSize = 8_388_608
const maxDepth = 512

/**
 * The arguments of one call, put together from the pieces in which Vertex AI may stream them: each is a value
 * and the JSON path (RFC 9535) where it belongs.
 */
export class PartialArguments {
  readonly #root: Container = Object.create(null) as Record<string, unknown>
  /** The paths whose text goes on in a later piece. */
  readonly #open = new Set<string>()
  #size = 0

  /** Adds `partialArgs`. Throws `UpstreamError` of kind `garbled` for a path that makes no sense, and above 8 MiB. */
  add(pieces: unknown): void {
    for (const piece of objectsOf(pieces) ?? []) this.#addOne(piece)
  }

  /** All of them as JSON text. */
  text(): string {
    return JSON.stringify(this.#root)
  }

  #addOne(piece: Fields): void {
    const { jsonPath } = piece
    if (typeof jsonPath !== 'string') throw garbledResponse('a piece of arguments that belongs nowhere')
    const steps = stepsOf(jsonPath)
    const last = steps.pop()
    if (last === undefined) throw garbledResponse('a piece of arguments that belongs nowhere')
    let holder = this.#root
    for (const [at, step] of steps.entries()) {
      const next: unknown = this.#get(holder, step)
      const following = steps[at + 1] ?? last
      if (typeof next === 'object' && next !== null) holder = next as Container
      else {
        const made: Container = typeof following === 'number' ? [] : Object.create(null)
        this.#set(holder, step, made)
        holder = made
      }
    }
    const value = pieceValue(piece)
    const before = this.#open.has(jsonPath) ? this.#get(holder, last) : undefined
    this.#grow(jsonPath.length + (typeof value === 'string' ? value.length : 8))
    this.#set(holder, last, typeof before === 'string' && typeof value === 'string' ? before + value : value)
    if (piece.willContinue === true) this.#open.add(jsonPath)
    else this.#open.delete(jsonPath)
  }

  #get(holder: Container, step: string | number): unknown {
    return (holder as Record<string | number, unknown>)[step]
  }

  #set(holder: Container, step: string | number, value: unknown): void {
    if (Array.isArray(holder) !== (typeof step === 'number')) {
      throw garbledResponse('pieces of arguments that do not fit together')
    }
    // A hole in a list is written out in full.
    if (Array.isArray(holder)) this.#grow(Math.max(0, Number(step) - holder.length) * 5)
    else this.#grow(String(step).length)
    ;(holder as Record<string | number, unknown>)[step] = value
  }

  #grow(size: number): void {
    this.#size += size
    if (this.#size > maxSize) throw garbledResponse('arguments without end')
  }
}

function pieceValue({ stringValue, numberValue, boolValue }: Fields): unknown {
  return stringValue ?? numberValue ?? boolValue ?? null
}

const step = /\.([^.[\]]+)|\[(\d+)\]|\[(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\]/y

/** `$.a.b[0]['c d']` as its steps: `a`, `b`, 0, `c d`. */
function stepsOf(path: string): (string | number)[] {
  const steps: (string | number)[] = []
  step.lastIndex = 1
  while (path.startsWith('$') && step.lastIndex < path.length) {
    const [, name, index, single, double] = step.exec(path) ?? []
    const quoted = single ?? double
    if (name !== undefined) steps.push(name)
    else if (index !== undefined) steps.push(countOf(Number(index)) ?? garbledPath())
    else if (quoted !== undefined) steps.push(quoted.replace(/\\(.)/g, '$1'))
    else break
    if (steps.length > maxDepth) garbledPath()
    if (step.lastIndex === path.length) return steps
  }
  return garbledPath()
}

function garbledPath(): never {
  throw garbledResponse('a piece of arguments that belongs nowhere')
}
