import type { Part } from '../part.ts'

/** A member in snake case, which Portkey's pages have, or in camel case, which it takes too. */
export function eitherCase(part: Part, name: string): Part {
  const snake = part.at(name)
  return snake.isThere
    ? snake
    : part.at(name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()))
}
