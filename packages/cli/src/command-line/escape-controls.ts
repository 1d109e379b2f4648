/** JSON that cannot control a terminal. Its own line breaks stay. */
export function escapeControls(json: string): string {
  return json.replaceAll(/(?!\n)[\p{C}\p{Zl}\p{Zp}]/gu, character =>
    Array.from(
      { length: character.length },
      (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
    ).join(''),
  )
}
