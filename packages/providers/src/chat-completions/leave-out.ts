/** Keeps a member from being written as JSON. An object of which one is deleted is slow from then on. */
export function leaveOut(body: Record<string, unknown>, name: string): void {
  if (body[name] !== undefined) body[name] = undefined
}
