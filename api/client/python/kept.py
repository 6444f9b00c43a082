"""A typed client of Kept's REST interface, for Python 3.11 or newer, without dependencies.

`npm run openapi` makes this file from docs/openapi.json, so do not change it.
"""

from __future__ import annotations

import http.client
import json
import random
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Callable, Iterator, Mapping
from email.message import Message
from typing import Any, Literal, Required, TypedDict, Unpack

ApprovalState = Literal["waiting", "approved", "done", "declined", "expired", "outdated"]
BatchMethod = Literal["POST", "PUT", "PATCH", "DELETE"]
Due = Literal["today", "overdue", "upcoming", "none"]
Frequency = Literal["daily", "weekly", "custom"]
HabitDue = Literal["today"]
HabitType = Literal["good", "bad"]
Reach = Literal["nobody", "email", "push", "ntfy", "telegram", "webhook"]
RecurrenceFrom = Literal["due", "completion"]
ReminderStatus = Literal["scheduled", "suspended", "sent", "unsent", "missed", "failed"]
Scope = Literal["habits:read", "habits:write", "todos:read", "todos:write", "categories:read", "categories:write"]
TimeOfDay = Literal["morning", "afternoon", "evening"]
TodoStatus = Literal["incomplete", "completed", "all"]


class AlternativeInWords(TypedDict, total=False):
    """Fields that replace those of the first reading, or the habit that is meant instead of a todo."""

    label: Required[str]  # The other choice in a few words, such as 18:00 or habit
    title: str
    due_date: str | None  # A real date such as 2026-11-20
    due_time: str | None  # A time of day such as 14:30
    time_of_day: TimeOfDay | None
    estimated_minutes: int | None
    recurrence: str | None
    remind_at: str | None
    habit: HabitInWords


class Approval(TypedDict):
    id: str
    state: ApprovalState
    created_at: str  # UTC with microseconds and a trailing Z
    expires_at: str  # UTC with microseconds and a trailing Z
    decided_at: str | None  # UTC with microseconds and a trailing Z
    approve_at: str  # The page where the person decides
    answer: dict[str, Any] | None  # The change's answer, once it is done; null for a group


class BatchOperation(TypedDict, total=False):
    method: Required[BatchMethod]
    path: Required[str]  # The path of a change such as /todos/7/toggle; $0.id stands for an id that operation 0 answers
    body: dict[str, Any] | None  # An object of fields; category_id may be a reference such as $0.id
    idempotency_key: str | None  # Text of 1 to 255 characters


class BatchResult(TypedDict):
    status: int
    body: dict[str, Any] | None  # What the operation would have answered alone; null where that is no content


class BatchResults(TypedDict):
    results: list[BatchResult]


class Category(TypedDict):
    id: int  # A positive whole number
    name: str
    color: str
    icon: str | None
    created_at: str  # UTC with microseconds and a trailing Z
    updated_at: str  # UTC with microseconds and a trailing Z


class CategoryChange(TypedDict):
    type: Literal["category"]
    id: int  # A positive whole number
    deleted: bool
    resource: Category | None


class CategoryRef(TypedDict):
    id: int  # A positive whole number
    name: str
    color: str


class Changes(TypedDict):
    data: list[Change]
    next_cursor: str
    has_more: bool


class CompleteHabitRequest(TypedDict, total=False):
    date: str  # A real date such as 2026-11-20
    amount: int  # A whole number from 1 to 100000


class CreateCategoryRequest(TypedDict, total=False):
    name: Required[str]  # Text of 1 to 255 characters on one line
    color: str | None  # A hex color such as #6b7280
    icon: str | None  # An icon name of at most 64 characters from a-z, 0-9 and -


class CreateHabitRequest(TypedDict, total=False):
    name: Required[str]  # Text of 1 to 255 characters on one line
    type: Required[HabitType]
    frequency: Required[Frequency]
    time_of_day: TimeOfDay | None
    category_id: int | None  # A positive whole number
    remind_at: str | None  # A time of day such as 14:30
    description: str | None  # Text of at most 5000 characters
    grace_days: int | None  # A whole number from 0 to 30
    schedule: Schedule | None
    paused_from: str | None  # A real date such as 2026-11-20
    paused_through: str | None  # A real date such as 2026-11-20
    target: int | None  # A whole number from 1 to 100000
    unit: str | None  # Text of 1 to 30 characters on one line


class CreateTodoRequest(TypedDict, total=False):
    title: Required[str]  # Text of 1 to 255 characters on one line
    description: str | None  # Text of at most 5000 characters
    due_date: str | None  # A real date such as 2026-11-20
    due_time: str | None  # A time of day such as 14:30
    time_of_day: TimeOfDay | None
    estimated_minutes: int | None  # A whole number from 1 to 100000
    context: str | None  # Text of at most 100 characters on one line
    category_id: int | None  # A positive whole number
    is_important: bool | None  # True or false
    recurrence: str | None  # Text of 1 to 500 characters on one line
    recurrence_from: RecurrenceFrom | None


class Dashboard(TypedDict):
    habits: list[Habit]
    todos: list[Todo]
    activity_strip: dict[str, int]
    stats: Stats


class DayAmount(TypedDict):
    date: str  # A real date such as 2026-11-20
    amount: int


class EveryDays(TypedDict):
    every_days: int


class Habit(TypedDict):
    id: int  # A positive whole number
    name: str
    type: HabitType
    frequency: Frequency
    schedule: Schedule | None
    time_of_day: TimeOfDay | None
    remind_at: str | None  # A time of day such as 14:30
    reaches: Reach | None
    choose_channel_at: str | None  # The page where the person chooses a channel, while reminders reach nobody
    description: str | None
    paused_from: str | None  # A real date such as 2026-11-20
    paused_through: str | None  # A real date such as 2026-11-20
    target: int | None
    unit: str | None
    streak_count: int
    longest_streak: int
    streak_alive_through: str | None  # A real date such as 2026-11-20
    grace_days: int
    skipped_dates: list[str]
    is_completed_today: bool
    amount_today: int | None
    recent_amounts: list[DayAmount]
    completions_count: int
    # The app that wrote name, title or description last, or import; null for the person and for this token
    written_by: str | None
    category: CategoryRef | None
    created_at: str  # UTC with microseconds and a trailing Z
    updated_at: str  # UTC with microseconds and a trailing Z


class HabitAmount(TypedDict):
    date: str  # A real date such as 2026-11-20
    amount: int
    target: int  # By which the day counts; 0 for one that was ticked off without


class HabitAmounts(TypedDict):
    data: list[HabitAmount]


class HabitChange(TypedDict):
    type: Literal["habit"]
    id: int  # A positive whole number
    deleted: bool
    resource: Habit | None


class HabitCompletion(TypedDict):
    date: str  # A real date such as 2026-11-20
    completed_at: str  # UTC with microseconds and a trailing Z


class HabitCompletions(TypedDict):
    data: list[HabitCompletion]


class HabitInWords(TypedDict):
    name: str
    type: HabitType
    frequency: Frequency
    schedule: Schedule | None
    time_of_day: TimeOfDay | None
    remind_at: str | None  # A time of day such as 14:30


class Me(TypedDict):
    today: str
    time_zone: str
    day_start_hour: int  # The hour at which the user's day begins, 0 to 6
    reminders_reach: Reach
    scopes: list[Scope]
    client_name: str | None
    rules: Rules | None
    rate_limit: RateLimit | None


class OnlyCategory(TypedDict):
    """The only category whose things it may change; without a name it is deleted."""

    id: int  # A positive whole number
    name: str | None


class QuickAdd(TypedDict):
    today: str
    time_zone: str
    todo: TodoInWords | None
    habit: HabitInWords | None
    category: str | None  # The name as it was written; there may be none such yet
    remind_at: str | None  # What PUT /todos/{todo_id}/reminder takes
    alternatives: list[AlternativeInWords]  # Other readings, where the words leave a choice; ask the person


class RateLimit(TypedDict):
    limit: int
    remaining: int
    reset: int  # When the window ends, in epoch seconds


class Reminder(TypedDict):
    todo_id: int  # A positive whole number
    remind_at: str  # UTC with microseconds and a trailing Z
    local_time: str  # YYYY-MM-DDTHH:MM:SS in time_zone
    time_zone: str
    status: ReminderStatus
    reaches: Reach
    choose_channel_at: str | None  # The page where the person chooses a channel, while reminders reach nobody


ReplaceCategoryRequest = CreateCategoryRequest


ReplaceHabitRequest = CreateHabitRequest


ReplaceTodoRequest = CreateTodoRequest


class Rules(TypedDict):
    asks_deletions: bool  # Deletions wait for the person's approval
    ask_above: int | None  # Changes of more things at once wait for the person's approval
    changes_per_day: int | None
    changes_left: int | None
    deletions_per_day: int | None
    deletions_left: int | None
    category: OnlyCategory | None


class RunBatchRequest(TypedDict, total=False):
    operations: Required[list[BatchOperation]]
    atomic: bool | None  # True or false


class SetReminderRequest(TypedDict):
    remind_at: str  # A time such as 2026-11-21T09:00:00+01:00, or 2026-11-21T09:00 in the user's own zone


class SkipHabitDayRequest(TypedDict, total=False):
    date: str  # A real date such as 2026-11-20


class Stats(TypedDict):
    total_habits: int
    completed_today: int
    total_streak: int
    pending_todos: int


class TimesPerWeek(TypedDict):
    times_per_week: int


class Todo(TypedDict):
    id: int  # A positive whole number
    title: str
    description: str | None
    due_date: str | None  # A real date such as 2026-11-20
    due_time: str | None  # A time of day such as 14:30
    time_of_day: TimeOfDay | None
    estimated_minutes: int | None
    context: str | None
    is_important: bool
    is_completed: bool
    is_overdue: bool
    recurrence: str | None
    recurrence_from: RecurrenceFrom
    completed_at: str | None  # UTC with microseconds and a trailing Z
    next_todo_id: int | None  # A positive whole number
    reminder: Reminder | None
    # The app that wrote name, title or description last, or import; null for the person and for this token
    written_by: str | None
    category: CategoryRef | None
    created_at: str  # UTC with microseconds and a trailing Z
    updated_at: str  # UTC with microseconds and a trailing Z


class TodoChange(TypedDict):
    type: Literal["todo"]
    id: int  # A positive whole number
    deleted: bool
    resource: Todo | None


class TodoInWords(TypedDict):
    title: str
    due_date: str | None  # A real date such as 2026-11-20
    due_time: str | None  # A time of day such as 14:30
    time_of_day: TimeOfDay | None
    estimated_minutes: int | None
    context: str | None
    recurrence: str | None
    recurrence_from: RecurrenceFrom | None
    is_important: bool


class ToggleTodoRequest(TypedDict, total=False):
    is_completed: bool  # True or false


class UpdateCategoryRequest(TypedDict, total=False):
    name: str  # Text of 1 to 255 characters on one line
    color: str | None  # A hex color such as #6b7280
    icon: str | None  # An icon name of at most 64 characters from a-z, 0-9 and -


class UpdateHabitRequest(TypedDict, total=False):
    name: str  # Text of 1 to 255 characters on one line
    type: HabitType
    frequency: Frequency
    time_of_day: TimeOfDay | None
    category_id: int | None  # A positive whole number
    remind_at: str | None  # A time of day such as 14:30
    description: str | None  # Text of at most 5000 characters
    grace_days: int | None  # A whole number from 0 to 30
    schedule: Schedule | None
    paused_from: str | None  # A real date such as 2026-11-20
    paused_through: str | None  # A real date such as 2026-11-20
    target: int | None  # A whole number from 1 to 100000
    unit: str | None  # Text of 1 to 30 characters on one line


class UpdateTodoRequest(TypedDict, total=False):
    title: str  # Text of 1 to 255 characters on one line
    description: str | None  # Text of at most 5000 characters
    due_date: str | None  # A real date such as 2026-11-20
    due_time: str | None  # A time of day such as 14:30
    time_of_day: TimeOfDay | None
    estimated_minutes: int | None  # A whole number from 1 to 100000
    context: str | None  # Text of at most 100 characters on one line
    category_id: int | None  # A positive whole number
    is_important: bool | None  # True or false
    recurrence: str | None  # Text of 1 to 500 characters on one line
    recurrence_from: RecurrenceFrom | None


class WaitingRequest(TypedDict):
    id: str
    state: str
    expires_at: str
    approve_at: str
    message: str


class Weekdays(TypedDict):
    weekdays: list[int]


Change = CategoryChange | HabitChange | TodoChange
Schedule = EveryDays | Weekdays | TimesPerWeek


class KeptError(Exception):
    """A refusal of Kept. Its text is the service's own sentence, with the next step."""

    def __init__(self, status: int, answer: Mapping[str, Any], retry_after: float | None = None) -> None:
        super().__init__(answer.get("message", f"HTTP {status}"))
        self.status = status  # the HTTP status; 0 if no answer came
        self.code: str = answer.get("code", "invalid" if "errors" in answer else "unknown")
        self.fields: dict[str, list[str]] = answer.get("errors", {})  # sentences by field name
        self.applied: str = answer.get("applied", "no")  # "unknown" if the change may have been made
        self.retry_after = retry_after  # seconds


class NoAnswerError(KeptError):
    """Kept did not answer any attempt."""


class WaitingError(KeptError):
    """Nothing is changed yet: the person has to approve this request first."""

    def __init__(self, request: WaitingRequest) -> None:
        super().__init__(202, {"message": request["message"], "code": "waiting"})
        self.request = request


_TRANSIENT = (429, 502, 503, 504)
_ATTEMPT_SECONDS = 15.0
_FIRST_PAUSE, _LONGEST_PAUSE = 0.3, 5.0

_Answer = tuple[int, Message, bytes]


class Kept:
    """A client of one Kept for one token. Changes are made once, however often they have to be sent."""

    def __init__(
        self, token: str, url: str = "http://localhost:3000", *, attempts: int = 5, total_seconds: float = 90.0
    ) -> None:
        self._token = token
        self._base = f"{url.rstrip('/')}/api/v1"
        self._attempts = attempts
        self._total_seconds = total_seconds

    def changes_since(self, cursor: str | None = None) -> Iterator[Changes]:
        """Pages of changes up to the present: since a cursor, or everything without one."""
        while True:
            page = self.list_changes(cursor=cursor)
            yield page
            if not page["has_more"]:
                return
            cursor = page["next_cursor"]

    def get_me(self) -> Me:
        """The user's day, and what the token of this request may do; rules is null if the person set none, rate_limit
        where the limit is turned off."""
        return self._call("GET", "/me")

    def get_dashboard(self) -> Dashboard:
        """Habits due today, pending todos, the activity of the last 14 days, and totals."""
        return self._call("GET", "/dashboard")

    def list_habits(
        self, *, q: str | None = None, frequency: Frequency | None = None, time_of_day: TimeOfDay | None = None,
        category_id: int | None = None, due: HabitDue | None = None, completed_today: bool | None = None
    ) -> Iterator[Habit]:
        """List or search habits."""
        return self._every(
            lambda page: self._call("GET", "/habits", {"q": q, "frequency": frequency, "time_of_day": time_of_day,
            "category_id": category_id, "due": due, "completed_today": completed_today, "page": page})
        )

    def create_habit(self, *, idempotency_key: str | None = None, **fields: Unpack[CreateHabitRequest]) -> Habit:
        """Create a habit; a bad habit is completed by having avoided it that day."""
        return self._call("POST", "/habits", body=fields, key=idempotency_key)

    def get_habit(self, habit_id: int) -> Habit:
        """View a habit."""
        return self._call("GET", f"/habits/{habit_id}")

    def replace_habit(
        self, habit_id: int, *, idempotency_key: str | None = None, **fields: Unpack[ReplaceHabitRequest]
    ) -> Habit:
        """Change a habit; a new rhythm looks forward only and never breaks or revives a streak."""
        return self._call("PUT", f"/habits/{habit_id}", body=fields, key=idempotency_key)

    def update_habit(
        self, habit_id: int, *, idempotency_key: str | None = None, **fields: Unpack[UpdateHabitRequest]
    ) -> Habit:
        """Change a habit; a new rhythm looks forward only and never breaks or revives a streak."""
        return self._call("PATCH", f"/habits/{habit_id}", body=fields, key=idempotency_key)

    def delete_habit(self, habit_id: int, *, idempotency_key: str | None = None) -> None:
        """Delete a habit and its completions."""
        self._call("DELETE", f"/habits/{habit_id}", key=idempotency_key)

    def list_habit_amounts(self, habit_id: int, *, from_: str | None = None, to: str | None = None) -> HabitAmounts:
        """List the amounts of a habit by day, newest first: at most 366 days, by default the last ones."""
        return self._call("GET", f"/habits/{habit_id}/amounts", {"from": from_, "to": to})

    def complete_habit(
        self, habit_id: int, *, idempotency_key: str | None = None, **fields: Unpack[CompleteHabitRequest]
    ) -> Habit:
        """Mark a habit completed, today or on a date up to seven days back; for a bad habit: avoided today."""
        return self._call("POST", f"/habits/{habit_id}/complete", body=fields, key=idempotency_key)

    def undo_habit_completion(
        self, habit_id: int, *, date: str | None = None, idempotency_key: str | None = None
    ) -> Habit:
        """Undo the completion of today or of a date up to seven days back; the streak becomes what it would be without
        it."""
        return self._call("DELETE", f"/habits/{habit_id}/complete", {"date": date}, key=idempotency_key)

    def list_habit_completions(
        self, habit_id: int, *, from_: str | None = None, to: str | None = None
    ) -> HabitCompletions:
        """List the days on which a habit was completed, newest first: at most 366 days, by default the last ones."""
        return self._call("GET", f"/habits/{habit_id}/completions", {"from": from_, "to": to})

    def skip_habit_day(
        self, habit_id: int, *, idempotency_key: str | None = None, **fields: Unpack[SkipHabitDayRequest]
    ) -> Habit:
        """Skip a day, or its week: nothing is asked and the streak stays; today, up to seven days back or thirty
        ahead."""
        return self._call("POST", f"/habits/{habit_id}/skip", body=fields, key=idempotency_key)

    def take_habit_skip_back(
        self, habit_id: int, *, date: str | None = None, idempotency_key: str | None = None
    ) -> Habit:
        """Take back the skip of today or of another day; the streak becomes what it would be without it."""
        return self._call("DELETE", f"/habits/{habit_id}/skip", {"date": date}, key=idempotency_key)

    def list_todos(
        self, *, q: str | None = None, status: TodoStatus | None = None, due: Due | None = None, due_from: str | None =
        None, due_to: str | None = None, done_since: str | None = None, has_reminder: bool | None = None, context: str |
        None = None, time_of_day: TimeOfDay | None = None, category_id: int | None = None
    ) -> Iterator[Todo]:
        """List or search todos, by default the incomplete ones; with done_since those completed from that day on,
        newest first."""
        return self._every(
            lambda page: self._call("GET", "/todos", {"q": q, "status": status, "due": due, "due_from": due_from,
            "due_to": due_to, "done_since": done_since, "has_reminder": has_reminder, "context": context, "time_of_day":
            time_of_day, "category_id": category_id, "page": page})
        )

    def create_todo(self, *, idempotency_key: str | None = None, **fields: Unpack[CreateTodoRequest]) -> Todo:
        """Create a one-time or recurring todo."""
        return self._call("POST", "/todos", body=fields, key=idempotency_key)

    def get_todo(self, todo_id: int) -> Todo:
        """View a todo."""
        return self._call("GET", f"/todos/{todo_id}")

    def replace_todo(
        self, todo_id: int, *, idempotency_key: str | None = None, **fields: Unpack[ReplaceTodoRequest]
    ) -> Todo:
        """Change a todo, whose reminder moves with its due date."""
        return self._call("PUT", f"/todos/{todo_id}", body=fields, key=idempotency_key)

    def update_todo(
        self, todo_id: int, *, idempotency_key: str | None = None, **fields: Unpack[UpdateTodoRequest]
    ) -> Todo:
        """Change a todo, whose reminder moves with its due date."""
        return self._call("PATCH", f"/todos/{todo_id}", body=fields, key=idempotency_key)

    def delete_todo(self, todo_id: int, *, idempotency_key: str | None = None) -> None:
        """Delete a todo and its reminder for good."""
        self._call("DELETE", f"/todos/{todo_id}", key=idempotency_key)

    def get_reminder(self, todo_id: int) -> Reminder:
        """View the calling user's reminder for a todo."""
        return self._call("GET", f"/todos/{todo_id}/reminder")

    def set_reminder(
        self, todo_id: int, *, idempotency_key: str | None = None, **fields: Unpack[SetReminderRequest]
    ) -> Reminder:
        """Set or move the calling user's reminder for a todo."""
        return self._call("PUT", f"/todos/{todo_id}/reminder", body=fields, key=idempotency_key)

    def clear_reminder(self, todo_id: int, *, idempotency_key: str | None = None) -> None:
        """Clear the calling user's reminder for a todo."""
        self._call("DELETE", f"/todos/{todo_id}/reminder", key=idempotency_key)

    def toggle_todo(
        self, todo_id: int, *, idempotency_key: str | None = None, **fields: Unpack[ToggleTodoRequest]
    ) -> Todo:
        """Flip a todo between complete and incomplete, or bring it to the wanted state."""
        return self._call("POST", f"/todos/{todo_id}/toggle", body=fields, key=idempotency_key)

    def get_quick_add(self, *, line: str | None = None) -> QuickAdd:
        """Read a line of words as the body of POST /todos or of POST /habits; this makes nothing."""
        return self._call("GET", "/quick-add", {"line": line})

    def list_changes(self, *, cursor: str | None = None) -> Changes:
        """List what was written or deleted since a cursor, or everything without one."""
        return self._call("GET", "/changes", {"cursor": cursor})

    def list_categories(self) -> Iterator[Category]:
        """List categories."""
        return self._every(lambda page: self._call("GET", "/categories", {"page": page}))

    def create_category(
        self, *, idempotency_key: str | None = None, **fields: Unpack[CreateCategoryRequest]
    ) -> Category:
        """Create a category."""
        return self._call("POST", "/categories", body=fields, key=idempotency_key)

    def get_category(self, category_id: int) -> Category:
        """View a category."""
        return self._call("GET", f"/categories/{category_id}")

    def replace_category(
        self, category_id: int, *, idempotency_key: str | None = None, **fields: Unpack[ReplaceCategoryRequest]
    ) -> Category:
        """Change a category."""
        return self._call("PUT", f"/categories/{category_id}", body=fields, key=idempotency_key)

    def update_category(
        self, category_id: int, *, idempotency_key: str | None = None, **fields: Unpack[UpdateCategoryRequest]
    ) -> Category:
        """Change a category."""
        return self._call("PATCH", f"/categories/{category_id}", body=fields, key=idempotency_key)

    def delete_category(self, category_id: int, *, idempotency_key: str | None = None) -> None:
        """Delete a category; its habits and todos stay, without a category."""
        self._call("DELETE", f"/categories/{category_id}", key=idempotency_key)

    def get_approval(self, approval_id: str) -> Approval:
        """View the state of a request that needs approval; only the token that made it can."""
        return self._call("GET", f"/approvals/{approval_id}")

    def run_batch(self, *, idempotency_key: str | None = None, **fields: Unpack[RunBatchRequest]) -> BatchResults:
        """Make up to 50 changes in order by one request; if atomic, all of them or none."""
        return self._call("POST", "/batch", body=fields, key=idempotency_key)

    def _every(self, list_page: Callable[[int], Any]) -> Iterator[Any]:
        page, has_next = 1, True
        while has_next:
            answer = list_page(page)
            yield from answer["data"]
            page, has_next = page + 1, answer["links"]["next"] is not None

    def _call(
        self, method: str, path: str, query: Mapping[str, Any] = {}, body: Any = None, key: str | None = None
    ) -> Any:
        given = {name: _text(value) for name, value in query.items() if value is not None}
        address = f"{self._base}{path}{'?' if given else ''}{urllib.parse.urlencode(given)}"
        headers = {"Authorization": f"Bearer {self._token}", "Accept": "application/json"}
        if method != "GET":
            headers["Idempotency-Key"] = key or str(uuid.uuid4())
        if body is not None:
            headers["Content-Type"] = "application/json"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(address, data, headers, method=method)
        return _value_of(*self._send(request))

    def _send(self, request: urllib.request.Request) -> _Answer:
        """Repeats a request when the network failed, or when the service asks for a later attempt."""
        deadline = time.monotonic() + self._total_seconds
        for attempt in range(self._attempts):
            outcome = _send_once(request, min(_ATTEMPT_SECONDS, max(0.001, deadline - time.monotonic())))
            pause = _pause_before(attempt, outcome)
            is_last = attempt + 1 >= self._attempts or time.monotonic() + pause >= deadline
            if is_last or not (isinstance(outcome, Exception) or outcome[0] in _TRANSIENT):
                break
            time.sleep(pause)
        if isinstance(outcome, Exception):
            applied = "no" if request.method == "GET" else "unknown"
            answer = {"message": f"Kept does not answer ({outcome}).", "code": "no_answer", "applied": applied}
            raise NoAnswerError(0, answer) from outcome
        return outcome


def _send_once(request: urllib.request.Request, timeout: float) -> _Answer | Exception:
    try:
        with urllib.request.urlopen(request, timeout=timeout) as response:
            return response.status, response.headers, response.read()
    except urllib.error.HTTPError as refusal:
        try:
            return refusal.code, refusal.headers, refusal.read()
        except (OSError, http.client.HTTPException) as error:
            return error
    except (OSError, http.client.HTTPException) as error:
        return error


def _pause_before(attempt: int, outcome: _Answer | Exception) -> float:
    """Waits as long as the service asks, or longer each time, plus a random part."""
    growing = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2.0**attempt) / 2
    asked = None if isinstance(outcome, Exception) else _retry_after(outcome[1])
    return (growing if asked is None else asked) + random.random() * growing


def _retry_after(headers: Message) -> float | None:
    text = str(headers.get("Retry-After", ""))
    return float(text) if text.isdigit() else None


def _value_of(status: int, headers: Message, content: bytes) -> Any:
    try:
        value = json.loads(content) if content else None
    except ValueError:
        value = None
    if status == 202:
        raise WaitingError(value)
    if status >= 400:
        raise KeptError(status, value if isinstance(value, dict) else {}, _retry_after(headers))
    return value


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
