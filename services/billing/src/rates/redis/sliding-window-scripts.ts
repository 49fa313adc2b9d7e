/**
 * The rates of one API key are one hash: `g` generation, `s` time of the last change, `o` the oldest bucket that may still
 * count, `x` a time before which no bucket leaves the window, `R` and `T` the requests and tokens of the window, `n` when
 * tokens were last counted, and per bucket, modulo their number, `b<i>`: the time of its last count, its requests and its
 * tokens. Times are milliseconds.
 *
 * A bucket leaves the window exactly a minute after the last call counted in it. So no 60 s hold more than the limit, the
 * wait for a bucket is never longer than 60 s, and a call counts at most the width of a bucket longer than a minute.
 * Half a second keeps the hash as small as one field for each second and limit, which the embedded Redis copies for every
 * change. Numbers are sent as text, because Lua prints large ones rounded.
 */
export const WINDOW_SECONDS = 60;
export const BUCKET_MS = 500;
const WINDOW_MS = WINDOW_SECONDS * 1_000;
const BUCKETS = WINDOW_MS / BUCKET_MS + 1;

/** Idle keys are deleted from Redis, and loaded again from PostgreSQL. */
const IDLE_SECONDS = 3_600;
/** Chat allows a stream two hours of silence; until then its count must not be treated as new. */
const REPORTED_SECONDS = 3 * 3_600;
/** For reports that arrive after the call has ended. */
const ENDED_SECONDS = 120;
/** Greater than the sequence of every report. */
export const FINAL_SEQUENCE = Number.MAX_SAFE_INTEGER;

/** Lua expression of Redis's own clock, in milliseconds. */
export const REDIS_CLOCK = `(function()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end)()`;

/** Numbers as text without loss of digits. */
const WHOLE = "local function whole(number) return string.format('%.0f', number) end";

const LUA_PRELUDE = (clock: string) => `
local key = KEYS[1]
local now = tonumber(${clock})
local head = redis.call('HMGET', key, 'g', 's', 'o', 'R', 'T', 'n')
local generation, changed, oldest = tonumber(head[1]), tonumber(head[2]), tonumber(head[3])
local requests, tokens, newest = tonumber(head[4]), tonumber(head[5]), tonumber(head[6])
local current = math.floor(now / ${BUCKET_MS})
local due

${WHOLE}
local function field(bucket) return string.format('b%d', bucket % ${BUCKETS}) end

local function secondsUntil(time) return math.max(0, math.ceil((time - now) / 1000)) end

local function parse(text)
  local at, r, t = string.match(text or '0 0 0', '(%d+) (%d+) (%d+)')
  return tonumber(at), tonumber(r), tonumber(t)
end

-- Buckets that this run changes, written together in the end.
local changes = {}
local function open(bucket)
  if not changes[bucket] then
    local at, r, t = parse(redis.call('HGET', key, field(bucket)))
    changes[bucket] = { at = at, r = r, t = t }
  end
  return changes[bucket]
end

local function count(r, t)
  local bucket = open(current)
  bucket.at, bucket.r, bucket.t = now, bucket.r + r, bucket.t + t
  requests, tokens = requests + r, tokens + t
  -- The bucket leaves as a whole.
  if bucket.t > 0 then newest = now end
end

-- Removes what is a minute old. If the clock was set back, the times of the buckets are unusable: all calls count as of
-- now.
local function advance()
  if now < changed then
    local r, t = requests, tokens
    redis.call('DEL', key)
    oldest, due, requests, tokens = current, current * ${BUCKET_MS} + ${WINDOW_MS}, 0, 0
    count(r, t)
    return
  end
  -- The only bucket that may have left in part of its time; all before it have left.
  local last = math.floor((now - ${WINDOW_MS}) / ${BUCKET_MS})
  local fields, stale = {}, {}
  for bucket = oldest, math.min(last, math.floor(changed / ${BUCKET_MS})) do fields[#fields + 1] = field(bucket) end
  oldest, due = last + 1, (last + 1) * ${BUCKET_MS} + ${WINDOW_MS}
  if #fields == 0 then return end
  for i, text in ipairs(redis.call('HMGET', key, unpack(fields))) do
    if text then
      local at, r, t = parse(text)
      if at + ${WINDOW_MS} > now then
        oldest, due = last, at + ${WINDOW_MS}
      else
        requests, tokens = requests - r, tokens - t
        stale[#stale + 1] = fields[i]
      end
    end
  end
  if #stale > 0 then redis.call('HDEL', key, unpack(stale)) end
end

-- Tokens that have left the window can't be released.
local function release(number, r, t)
  if number < oldest or number > current or r + t == 0 then return 0 end
  local bucket = open(number)
  r, t = math.min(r, bucket.r), math.min(t, bucket.t)
  bucket.r, bucket.t = bucket.r - r, bucket.t - t
  requests, tokens = requests - r, tokens - t
  return t
end

local function save()
  local fields = { 'g', whole(generation), 's', whole(now), 'o', whole(oldest), 'x', whole(due),
    'R', whole(requests), 'T', whole(tokens), 'n', whole(newest) }
  for number, bucket in pairs(changes) do
    fields[#fields + 1] = field(number)
    fields[#fields + 1] = whole(bucket.at) .. ' ' .. whole(bucket.r) .. ' ' .. whole(bucket.t)
  end
  redis.call('HSET', key, unpack(fields))
  redis.call('EXPIRE', key, ${IDLE_SECONDS})
end
`;

/** Computes waits. No bucket may change afterwards: buckets are read once for all answers of a run. */
const WAITS = `
local live
local function readLive()
  local fields = {}
  for bucket = oldest, current do fields[#fields + 1] = field(bucket) end
  live = {}
  for i, text in ipairs(redis.call('HMGET', key, unpack(fields))) do
    local bucket = changes[oldest + i - 1]
    if not bucket and text then
      local at, r, t = parse(text)
      bucket = { at = at, r = r, t = t }
    end
    live[#live + 1] = bucket
  end
end

-- Seconds until so much has left the window. What this batch has taken leaves last.
local function secondsUntilFits(of, excess)
  if excess <= 0 then return 0 end
  if not live then readLive() end
  local sum = 0
  for _, bucket in ipairs(live) do
    sum = sum + bucket[of]
    if sum >= excess then return secondsUntil(bucket.at + ${WINDOW_MS}) end
  end
  return ${WINDOW_SECONDS}
end
`;

/**
 * ARGV: the minimum generation; rpm and tpm, -1 for none; the number of calls, the tokens that they take together, and the tokens
 * that must be available to admit all of them; per call the tokens that it takes and those that must be available, -1 if it takes
 * none (`<tokens>,<available>` and a space). Returns nothing if the key is unknown in that generation; otherwise generation,
 * bucket, requests and tokens of the window before these calls, and the seconds until those tokens have left it. That is all if
 * every call is admitted. Otherwise there follows for each call what it took, or -1 (too many requests) or -2 (too many tokens),
 * the seconds after which it fits, -1 for never, and the seconds until all requests have left the window.
 */
export const takeScript = (clock: string) => `${LUA_PRELUDE(clock)}
if not generation or generation < tonumber(ARGV[1]) then return {} end
advance()
local rpm, tpm = tonumber(ARGV[2]), tonumber(ARGV[3])
local answer = { generation, current, requests, tokens, secondsUntil(newest + ${WINDOW_MS}) }
local newRequests, newTokens = tonumber(ARGV[4]), tonumber(ARGV[5])
${WAITS}
local function take(most, room)
  local counted = tpm >= 0 and room >= 0
  local inRequests, inTokens = requests + newRequests, tokens + newTokens
  local overRequests = rpm >= 0 and inRequests + 1 > rpm
  local overTokens = counted and inTokens + room > tpm
  if overRequests or overTokens then
    local seconds = math.max(
      rpm >= 0 and secondsUntilFits('r', inRequests + 1 - rpm) or 0,
      counted and secondsUntilFits('t', inTokens + room - tpm) or 0)
    if rpm == 0 or (counted and room > tpm) then seconds = -1 end
    answer[#answer + 1] = overRequests and -1 or -2
    answer[#answer + 1] = seconds
    answer[#answer + 1] = rpm >= 0 and secondsUntilFits('r', inRequests) or 0
    return
  end
  newRequests, newTokens = newRequests + 1, newTokens + most
  answer[#answer + 1] = most
end

if (rpm >= 0 and requests + newRequests > rpm) or (tpm >= 0 and tokens + ARGV[6] > tpm) then
  newRequests, newTokens = 0, 0
  for most, room in string.gmatch(ARGV[7], '(%d+),(%S+)') do take(tonumber(most), tonumber(room)) end
end
if newRequests > 0 then count(newRequests, newTokens) end
save()
return answer
`;

/**
 * ARGV: per bucket its generation and number, and the requests and tokens to release there. Amounts that have left the window, or
 * that another generation took, are ignored. Returns the requests of the window and the seconds until they have left it, and its
 * tokens.
 */
export const releaseScript = (clock: string) => `${LUA_PRELUDE(clock)}
if not generation then return {} end
advance()
for i = 1, #ARGV, 4 do
  if tonumber(ARGV[i]) == generation then
    release(tonumber(ARGV[i + 1]), tonumber(ARGV[i + 2]), tonumber(ARGV[i + 3]))
  end
end
${WAITS}
local requestsReset, tokensReset = secondsUntilFits('r', requests), secondsUntilFits('t', tokens)
newest = now - ${WINDOW_MS} + tokensReset * 1000
save()
return { requests, requestsReset, tokens, tokensReset }
`;

/**
 * Reports the tokens that calls have used so far or in total. ARGV per call: which of KEYS stores its last report, 0 for none;
 * generation, bucket and tokens of its admission; the number of the report, `FINAL_SEQUENCE` for the last; the tokens used in
 * total. Tokens beyond those counted before count now. Excess tokens are released from the bucket of the last report and from
 * that of the admission, from each at most what the call has there, so that the tokens of other calls stay counted. A report that
 * is not newer than the last one changes nothing.
 */
export const countScript = (clock: string) => `${LUA_PRELUDE(clock)}
if not generation then return {} end
advance()

local function use(record, bornIn, admission, taken, sequence, used)
  -- Counted for the call in all; of that at its admission, and in the bucket of its last report.
  local counted, held, latest, latestIn, bucket = taken, taken, 0, 0, 0
  local lastReport = record and redis.call('GET', record)
  if lastReport then
    local figures = {}
    for figure in string.gmatch(lastReport, '%d+') do figures[#figures + 1] = tonumber(figure) end
    if sequence <= figures[1] then return end
    counted, held, latest, latestIn, bucket = figures[2], figures[3], figures[4], figures[5], figures[6]
  end
  if used > counted then
    if latestIn ~= generation or bucket ~= current then latest, latestIn, bucket = 0, generation, current end
    latest = latest + used - counted
    count(0, used - counted)
  elseif used < counted then
    local less = counted - used
    if latestIn == generation then
      local back = release(bucket, 0, math.min(less, latest))
      latest, less = latest - back, less - back
    end
    if bornIn == generation then held = held - release(admission, 0, math.min(less, held)) end
  end
  if not record then return end
  local figures = { whole(sequence), whole(used), whole(held), whole(latest), whole(latestIn), whole(bucket) }
  redis.call('SET', record, table.concat(figures, ' '),
    'EX', sequence < ${FINAL_SEQUENCE} and ${REPORTED_SECONDS} or ${ENDED_SECONDS})
end

for i = 1, #ARGV, 6 do
  use(KEYS[tonumber(ARGV[i])], tonumber(ARGV[i + 1]), tonumber(ARGV[i + 2]), tonumber(ARGV[i + 3]),
    tonumber(ARGV[i + 4]), tonumber(ARGV[i + 5]))
end
save()
return {}
`;

/**
 * ARGV: generation, then per past entry its age in milliseconds, requests and tokens. Writes the key's rates unless they exist in
 * this generation or a later one.
 */
export const seedScript = (clock: string) => `${LUA_PRELUDE(clock)}
if generation and generation >= tonumber(ARGV[1]) then return {} end
redis.call('DEL', key)
generation, requests, tokens, newest = tonumber(ARGV[1]), 0, 0, 0
oldest = math.floor((now - ${WINDOW_MS}) / ${BUCKET_MS})
due = oldest * ${BUCKET_MS} + ${WINDOW_MS}
for i = 2, #ARGV, 3 do
  local at, r, t = now - tonumber(ARGV[i]), tonumber(ARGV[i + 1]), tonumber(ARGV[i + 2])
  if at + ${WINDOW_MS} > now then
    local bucket = open(math.floor(at / ${BUCKET_MS}))
    bucket.at, bucket.r, bucket.t = math.max(at, bucket.at), bucket.r + r, bucket.t + t
    requests, tokens = requests + r, tokens + t
    if t > 0 then newest = math.max(newest, at) end
  end
end
save()
return {}
`;
