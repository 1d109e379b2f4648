const bold = (text: string) => `\u001B[1m${text}\u001B[22m`
const cyan = (text: string) => `\u001B[36m${text}\u001B[39m`
const underlined = (text: string) => `\u001B[4m${text}\u001B[24m`

/** Colours the text of a help page: labels, the first column of its lists, and links. The text itself stays the same. */
export function colourHelp(text: string): string {
  return text
    .replaceAll(/\bhttps?:\/\/\S+|\bdocs\/\S+/g, underlined)
    .replaceAll(/^(?:Usage|Examples?|Documentation|To start):/gm, bold)
    .replaceAll(
      /^( {2})(\S+(?: \S+)*)(?= {2,}\S|$)/gm,
      (_, indent: string, name: string) => indent + cyan(name),
    )
}
