import type { LogEntry } from './logger.ts'
import { steering } from './plain-text.ts'

/** One line of JSON. Every text reads back as it was, and none of it can break the line or steer a terminal. */
export function jsonLine({ level, message, fields }: LogEntry, at: Date): string {
  const text = JSON.stringify({ time: at.toISOString(), level, message, ...fields })
  return text.replace(steering, escaped)
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
  return units.map(unit => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
}
