import { randomBytes } from 'node:crypto'

/** A key that is made for one run: 192 random bits behind a word that says whose it is. */
export function mintedKey(word: string, random: (size: number) => Buffer = randomBytes): string {
  return `${word}-${random(24).toString('base64url')}`
}
