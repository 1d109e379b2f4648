/** How the cache differs from others'. */
export const cacheNote =
  'The cache gives an answer again to the very same caller and request, and where temperature is 0 alone: docs/caching.md.'
