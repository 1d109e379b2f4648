const secrets: readonly RegExp[] = [
  /\b(?:sk|pk|rk|gsk|xai|key|csk|fw|tgp|nvapi|hf|ghp|AIza|AKIA|ya29)[-_.]?[A-Za-z0-9*][\w.*-]{6,}/g,
  /\bbearer\s+\S+/gi,
  /\b[a-z][a-z0-9+.-]*:\/\/\S+/gi,
  /\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b/g,
  /\b(?:[a-z0-9-]+\.)+(?:com|net|org|io|ai|dev|cloud|internal|local|svc)(?::\d+)?\b/gi,
  /\b[A-Za-z0-9_-]{32,}\b/g,
]

/**
 * A vendor's words made fit for a caller: keys, tokens, URLs, hosts and addresses replaced, control
 * characters gone, at most 1,000 characters.
 */
export function scrub(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes
  let clean = text.slice(0, 4_000).replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ')
  for (const secret of secrets) clean = clean.replace(secret, '[removed]')
  clean = clean.trim()
  return clean.length > 1_000 ? `${clean.slice(0, 1_000)}...` : clean
}
