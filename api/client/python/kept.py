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
Scope = Literal[
    "habits:read", "habits:write", "todos:read", "todos:write", "categories:read", "categories:write", "webhooks:write"
]
TimeOfDay = Literal["morning", "afternoon", "evening"]
TodoStatus = Literal["incomplete", "completed", "all"]
WebhookDeliveryStatus = Literal["waiting", "sending", "delivered", "failed"]
WebhookEvents = Literal["category.*", "habit.*", "todo.*", "reminder.due"]
WebhookSubject = Literal["category", "habit", "todo", "due_habit", "due_todo"]


class AlternativeInWords(TypedDict, total=False):
    """Fields that replace those of the first reading, or the habit that is meant instead of a todo."""

    label: Required[str]  # The other choice in a few words, such as 18:00 or habit
    title: str  # The thing to do, in a few words
    due_date: str | None  # The day by which it is to be done; null for none
    due_time: str | None  # The time of that day in the user's zone, only with due_date; null for none
    time_of_day: TimeOfDay | None  # The part of the day for which it is meant; null for any
    estimated_minutes: int | None  # The minutes that it takes; null if unknown
    recurrence: str | None  # The rule by which it repeats; null if it does not
    remind_at: str | None  # The time for PUT /todos/{todo_id}/reminder, or a habit's time of day
    habit: HabitInWords  # The habit that the words mean; null if they mean a todo


class Approval(TypedDict):
    id: str  # The id of the thing
    state: ApprovalState  # How far the request for approval has come
    created_at: str  # The moment at which it was made
    expires_at: str  # The moment at which a request that nobody decided ends
    decided_at: str | None  # The moment of the person's decision; null before
    approve_at: str  # The page where the person decides
    answer: dict[str, Any] | None  # The answer of the request once it was approved, as it would have come at once


class BatchOperation(TypedDict, total=False):
    method: Required[BatchMethod]  # The method that the operation would have as a request of its own
    path: Required[str]  # The path of a change such as /todos/7/toggle; $0.id stands for an id that operation 0 answers
    body: dict[str, Any] | None  # The JSON body that the operation would have as a request of its own
    idempotency_key: str | None  # The same key with the same operation answers the first outcome again


class BatchResult(TypedDict):
    status: int  # The HTTP status that the operation would have answered alone
    body: dict[str, Any] | None  # What the operation would have answered alone; null where that is no content


class BatchResults(TypedDict):
    results: list[BatchResult]  # The answer of each operation, in the order of the request


class Category(TypedDict):
    id: int  # The id of the thing
    name: str  # The name that people read
    color: str  # Its colour on pages and in apps
    icon: str | None  # The name of an icon, for apps that show one: a-z, 0-9 and -
    created_at: str  # The moment at which it was made
    updated_at: str  # The moment at which it was last changed


class CategoryChange(TypedDict):
    type: Literal["category"]  # The kind of the thing
    id: int  # The id of the thing
    deleted: bool  # True when the thing is gone, and resource is null
    resource: Category | None  # The thing as it is now; null when it is deleted


class CategoryRef(TypedDict):
    id: int  # The id of the thing
    name: str  # The name that people read
    color: str  # Its colour on pages and in apps


class Changes(TypedDict):
    data: list[Change]  # The things of this page or answer, in order
    next_cursor: str  # The cursor for the next request, which then lists what changed since this one
    has_more: bool  # True when more changes follow next_cursor at once


class CompleteHabitRequest(TypedDict, total=False):
    date: str  # The day of the user that is meant
    amount: int  # How much to add to the day, or its sum in an answer; in the habit's unit
    note: str  # Words on the completed day; null without any


class CreateCategoryRequest(TypedDict, total=False):
    name: Required[str]  # The name that people read
    color: str | None  # Its colour on pages and in apps
    icon: str | None  # The name of an icon, for apps that show one: a-z, 0-9 and -


class CreateHabitRequest(TypedDict, total=False):
    name: Required[str]  # The name that people read
    type: Required[HabitType]  # good, or bad for something to avoid, which is done on each day on which it was avoided
    frequency: Required[Frequency]  # Every day, once in each week from Monday on, or custom as schedule says
    time_of_day: TimeOfDay | None  # The part of the day for which it is meant; null for any
    category_id: int | None  # The id of one of the user's categories; null for none
    remind_at: str | None  # The time of day of its reminder on days on which it is due and not done yet; null for none
    description: str | None  # Notes, also in several lines
    grace_days: int | None  # The misses in a row that the streak survives
    schedule: Schedule | None  # The days of a custom habit; null for every day
    # The first day of a pause, on whose days nothing is asked and the streak stays; null for none
    paused_from: str | None
    paused_through: str | None  # The last day of the pause; null until somebody ends it
    target: int | None  # The amount that makes a day done; null if one tick does it
    unit: str | None  # The unit of target


class CreateTodoRequest(TypedDict, total=False):
    title: Required[str]  # The thing to do, in a few words
    description: str | None  # Notes, also in several lines
    due_date: str | None  # The day by which it is to be done; null for none
    due_time: str | None  # The time of that day in the user's zone, only with due_date; null for none
    time_of_day: TimeOfDay | None  # The part of the day for which it is meant; null for any
    estimated_minutes: int | None  # The minutes that it takes; null if unknown
    context: str | None  # A label for a place or tool, such as desk or phone
    category_id: int | None  # The id of one of the user's categories; null for none
    is_important: bool | None  # True for a todo that lists mark and can show first
    recurrence: str | None  # The rule by which it repeats; null if it does not
    recurrence_from: RecurrenceFrom | None  # The day from which the rule counts: the due date, or the day of completion


class CreateWebhookRequest(TypedDict):
    url: str  # The address to which events are posted. An https address without a user name and password
    # The events that are posted. A list of different events (category.*, habit.*, todo.*, reminder.due)
    events: list[WebhookEvents]


class Dashboard(TypedDict):
    habits: list[Habit]  # The habits that are due today
    todos: list[Todo]  # The incomplete todos, at most 100
    activity_strip: dict[str, int]  # The last 14 days of the user with the number of habits and todos done on each
    stats: Stats  # Numbers over all habits and todos


class DayAmount(TypedDict):
    date: str  # The day of the user that is meant
    amount: int  # How much to add to the day, or its sum in an answer; in the habit's unit


class EveryDays(TypedDict):
    every_days: int  # The days from one completion to the next due day


class Habit(TypedDict):
    id: int  # The id of the thing
    name: str  # The name that people read
    type: HabitType  # good, or bad for something to avoid, which is done on each day on which it was avoided
    frequency: Frequency  # Every day, once in each week from Monday on, or custom as schedule says
    schedule: Schedule | None  # The days of a custom habit; null for every day
    time_of_day: TimeOfDay | None  # The part of the day for which it is meant; null for any
    remind_at: str | None  # The time of day of its reminder on days on which it is due and not done yet; null for none
    reaches: Reach | None  # The channel to which its reminders go; null without a reminder
    choose_channel_at: str | None  # The page where the person chooses a channel, while reminders reach nobody
    description: str | None  # Notes, also in several lines
    # The first day of a pause, on whose days nothing is asked and the streak stays; null for none
    paused_from: str | None
    paused_through: str | None  # The last day of the pause; null until somebody ends it
    target: int | None  # The amount that makes a day done; null if one tick does it
    unit: str | None  # The unit of target
    streak_count: int  # The completions in a row, with misses that grace days forgive
    longest_streak: int  # The longest streak that the habit ever had
    # The last day through which the streak lives without another completion; null without one
    streak_alive_through: str | None
    grace_days: int  # The misses in a row that the streak survives
    skipped_dates: list[str]  # The days on which the habit is not due, because the person skips them
    is_completed_today: bool  # True when the habit is done today; for a bad habit, when it was avoided
    amount_today: int | None  # Today's sum in the habit's unit; null for a habit without a target
    recent_amounts: list[DayAmount]  # The sums of today and of the days that can still change, the newest first
    completions_count: int  # The number of days on which the habit was ever done
    # The app that wrote name, title or description last, or import; null for the person and for this token
    written_by: str | None
    category: CategoryRef | None  # The category of the thing; null without one
    created_at: str  # The moment at which it was made
    updated_at: str  # The moment at which it was last changed


class HabitAmount(TypedDict):
    date: str  # The day of the user that is meant
    amount: int  # How much to add to the day, or its sum in an answer; in the habit's unit
    target: int  # By which the day counts; 0 for one that was ticked off without


class HabitAmounts(TypedDict):
    data: list[HabitAmount]  # The things of this page or answer, in order


class HabitChange(TypedDict):
    type: Literal["habit"]  # The kind of the thing
    id: int  # The id of the thing
    deleted: bool  # True when the thing is gone, and resource is null
    resource: Habit | None  # The thing as it is now; null when it is deleted


class HabitCompletion(TypedDict):
    date: str  # The day of the user that is meant
    completed_at: str  # The moment at which it was completed; null while it is not
    note: str | None  # Words on the completed day; null without any


class HabitCompletions(TypedDict):
    data: list[HabitCompletion]  # The things of this page or answer, in order


class HabitInWords(TypedDict):
    name: str  # The name that people read
    type: HabitType  # good, or bad for something to avoid, which is done on each day on which it was avoided
    frequency: Frequency  # Every day, once in each week from Monday on, or custom as schedule says
    schedule: Schedule | None  # The days of a custom habit; null for every day
    time_of_day: TimeOfDay | None  # The part of the day for which it is meant; null for any
    remind_at: str | None  # The time of day of its reminder on days on which it is due and not done yet; null for none


class Me(TypedDict):
    today: str  # The user's day
    time_zone: str  # The user's time zone, such as Europe/Berlin
    day_start_hour: int  # The hour at which the user's day begins, 0 to 6
    reminders_reach: Reach  # The channel to which the person's reminders go
    scopes: list[Scope]  # The permissions of the token
    client_name: str | None  # The name of the app or token that asks
    rules: Rules | None  # The person's rules for this token; null without any
    rate_limit: RateLimit | None  # The limit of the token's requests; null where it is turned off


class NewWebhook(TypedDict):
    id: str  # The id of the thing
    url: str  # The address to which events are posted
    events: list[WebhookEvents]  # The events that are posted
    is_active: bool  # False while nothing is posted; changes wait until it is on
    failing_since: str | None  # The moment since which posts fail; null while they arrive
    disabled_at: str | None  # The moment at which it was switched off because posts failed for days; null otherwise
    created_at: str  # The moment at which it was made
    updated_at: str  # The moment at which it was last changed
    secret: str | None  # whsec_…: the receiver checks signatures with it. No other answer has it; a repeat has null


class OnlyCategory(TypedDict):
    """The only category whose things it may change; without a name it is deleted."""

    id: int  # The id of the thing
    name: str | None  # The name that people read


class QuickAdd(TypedDict):
    today: str  # The user's day
    time_zone: str  # The user's time zone, such as Europe/Berlin
    todo: TodoInWords | None  # The todo that the words mean; null if they mean a habit
    habit: HabitInWords | None  # The habit that the words mean; null if they mean a todo
    category: str | None  # The name as it was written; there may be none such yet
    remind_at: str | None  # What PUT /todos/{todo_id}/reminder takes
    alternatives: list[AlternativeInWords]  # Other readings, where the words leave a choice; ask the person


class RateLimit(TypedDict):
    limit: int  # The requests that the token may make in a minute
    remaining: int  # The requests that remain in this minute
    reset: int  # When the window ends, in epoch seconds


class Reminder(TypedDict):
    todo_id: int  # The id of a todo
    remind_at: str  # The moment at which it rings
    local_time: str  # YYYY-MM-DDTHH:MM:SS in time_zone
    time_zone: str  # The user's time zone, such as Europe/Berlin
    status: ReminderStatus  # How far the reminder has come
    reaches: Reach  # The channel to which its reminders go; null without a reminder
    choose_channel_at: str | None  # The page where the person chooses a channel, while reminders reach nobody


ReplaceCategoryRequest = CreateCategoryRequest


ReplaceHabitRequest = CreateHabitRequest


ReplaceTodoRequest = CreateTodoRequest


class Rules(TypedDict):
    asks_deletions: bool  # Deletions wait for the person's approval
    ask_above: int | None  # Changes of more things at once wait for the person's approval
    changes_per_day: int | None  # The changes that the token may make each day; null without a bound
    changes_left: int | None  # The changes that remain today; null without a bound
    deletions_per_day: int | None  # The deletions that the token may make each day; null without a bound
    deletions_left: int | None  # The deletions that remain today; null without a bound
    category: OnlyCategory | None  # The only category whose things the token may change; null for all


class RunBatchRequest(TypedDict, total=False):
    operations: Required[list[BatchOperation]]  # The changes, in order
    atomic: bool | None  # True: all operations are done, or none


class SetReminderRequest(TypedDict):
    remind_at: str  # The moment, with an offset or as wall time in the user's zone


class SkipHabitDayRequest(TypedDict, total=False):
    date: str  # The day of the user that is meant


class Stats(TypedDict):
    total_habits: int  # The number of habits
    completed_today: int  # The habits that are done today, among those due
    total_streak: int  # The sum of all streaks
    pending_todos: int  # The number of incomplete todos


class TimesPerWeek(TypedDict):
    times_per_week: int  # The days on which it is to be done in each week from Monday on


class Todo(TypedDict):
    id: int  # The id of the thing
    title: str  # The thing to do, in a few words
    description: str | None  # Notes, also in several lines
    due_date: str | None  # The day by which it is to be done; null for none
    due_time: str | None  # The time of that day in the user's zone, only with due_date; null for none
    time_of_day: TimeOfDay | None  # The part of the day for which it is meant; null for any
    estimated_minutes: int | None  # The minutes that it takes; null if unknown
    context: str | None  # A label for a place or tool, such as desk or phone
    is_important: bool  # True for a todo that lists mark and can show first
    is_completed: bool  # True when the todo is done
    is_overdue: bool  # True for an incomplete todo whose due date or due time has passed for the user
    recurrence: str | None  # The rule by which it repeats; null if it does not
    recurrence_from: RecurrenceFrom  # The day from which the rule counts: the due date, or the day of completion
    completed_at: str | None  # The moment at which it was completed; null while it is not
    next_todo_id: int | None  # The todo that follows a completed repeating one; null without one
    reminder: Reminder | None  # The reminder of the todo; null without one
    # The app that wrote name, title or description last, or import; null for the person and for this token
    written_by: str | None
    category: CategoryRef | None  # The category of the thing; null without one
    created_at: str  # The moment at which it was made
    updated_at: str  # The moment at which it was last changed


class TodoChange(TypedDict):
    type: Literal["todo"]  # The kind of the thing
    id: int  # The id of the thing
    deleted: bool  # True when the thing is gone, and resource is null
    resource: Todo | None  # The thing as it is now; null when it is deleted


class TodoInWords(TypedDict):
    title: str  # The thing to do, in a few words
    due_date: str | None  # The day by which it is to be done; null for none
    due_time: str | None  # The time of that day in the user's zone, only with due_date; null for none
    time_of_day: TimeOfDay | None  # The part of the day for which it is meant; null for any
    estimated_minutes: int | None  # The minutes that it takes; null if unknown
    context: str | None  # A label for a place or tool, such as desk or phone
    recurrence: str | None  # The rule by which it repeats; null if it does not
    recurrence_from: RecurrenceFrom | None  # The day from which the rule counts: the due date, or the day of completion
    is_important: bool  # True for a todo that lists mark and can show first


class ToggleTodoRequest(TypedDict, total=False):
    is_completed: bool  # True when the todo is done. True or false


class UpdateCategoryRequest(TypedDict, total=False):
    name: str  # The name that people read
    color: str | None  # Its colour on pages and in apps
    icon: str | None  # The name of an icon, for apps that show one: a-z, 0-9 and -


class UpdateHabitRequest(TypedDict, total=False):
    name: str  # The name that people read
    type: HabitType  # good, or bad for something to avoid, which is done on each day on which it was avoided
    frequency: Frequency  # Every day, once in each week from Monday on, or custom as schedule says
    time_of_day: TimeOfDay | None  # The part of the day for which it is meant; null for any
    category_id: int | None  # The id of one of the user's categories; null for none
    remind_at: str | None  # The time of day of its reminder on days on which it is due and not done yet; null for none
    description: str | None  # Notes, also in several lines
    grace_days: int | None  # The misses in a row that the streak survives
    schedule: Schedule | None  # The days of a custom habit; null for every day
    # The first day of a pause, on whose days nothing is asked and the streak stays; null for none
    paused_from: str | None
    paused_through: str | None  # The last day of the pause; null until somebody ends it
    target: int | None  # The amount that makes a day done; null if one tick does it
    unit: str | None  # The unit of target


class UpdateTodoRequest(TypedDict, total=False):
    title: str  # The thing to do, in a few words
    description: str | None  # Notes, also in several lines
    due_date: str | None  # The day by which it is to be done; null for none
    due_time: str | None  # The time of that day in the user's zone, only with due_date; null for none
    time_of_day: TimeOfDay | None  # The part of the day for which it is meant; null for any
    estimated_minutes: int | None  # The minutes that it takes; null if unknown
    context: str | None  # A label for a place or tool, such as desk or phone
    category_id: int | None  # The id of one of the user's categories; null for none
    is_important: bool | None  # True for a todo that lists mark and can show first
    recurrence: str | None  # The rule by which it repeats; null if it does not
    recurrence_from: RecurrenceFrom | None  # The day from which the rule counts: the due date, or the day of completion


class UpdateWebhookRequest(TypedDict, total=False):
    url: str  # The address to which events are posted. An https address without a user name and password
    # The events that are posted. A list of different events (category.*, habit.*, todo.*, reminder.due)
    events: list[WebhookEvents]
    is_active: bool  # True or false


class WaitingRequest(TypedDict):
    id: str  # The id of the thing
    state: str  # How far the request for approval has come
    expires_at: str  # The moment at which a request that nobody decided ends
    approve_at: str  # The page where the person decides
    message: str  # A sentence for people, with the next step


class Webhook(TypedDict):
    id: str  # The id of the thing
    url: str  # The address to which events are posted
    events: list[WebhookEvents]  # The events that are posted
    is_active: bool  # False while nothing is posted; changes wait until it is on
    failing_since: str | None  # The moment since which posts fail; null while they arrive
    disabled_at: str | None  # The moment at which it was switched off because posts failed for days; null otherwise
    created_at: str  # The moment at which it was made
    updated_at: str  # The moment at which it was last changed


class WebhookDeliveries(TypedDict):
    data: list[WebhookDelivery]  # The things of this page or answer, in order


class WebhookDelivery(TypedDict):
    id: str  # The id of the thing
    subject: WebhookSubject  # The kind of the thing; due_todo and due_habit are reminders
    thing_id: int  # The id of the thing
    status: WebhookDeliveryStatus  # How far the delivery has come
    attempts: int  # The attempts so far
    error: str | None  # The reason why the last attempt failed; null without one
    next_attempt_at: str | None  # The moment of the next attempt
    created_at: str  # The moment at which it was made
    finished_at: str | None  # The moment at which it arrived or was given up; null before


class Webhooks(TypedDict):
    data: list[Webhook]  # The things of this page or answer, in order


class Weekdays(TypedDict):
    weekdays: list[int]  # The days of the week on which it is due; 1 is Monday


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
        """Mark a habit completed, today or on one of the 366 days before; for a bad habit: avoided today."""
        return self._call("POST", f"/habits/{habit_id}/complete", body=fields, key=idempotency_key)

    def undo_habit_completion(
        self, habit_id: int, *, date: str | None = None, idempotency_key: str | None = None
    ) -> Habit:
        """Undo the completion of today or of one of the 366 days before; the streak becomes what it would be without
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
        """Skip a day, or its week: nothing is asked and the streak stays; today, up to 366 days back or 30 ahead."""
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

    def list_changes(self, *, cursor: str | None = None, wait: int | None = None) -> Changes:
        """List what was written or deleted since a cursor, or everything without one."""
        return self._call("GET", "/changes", {"cursor": cursor, "wait": wait})

    def stream_changes(self, *, cursor: str | None = None) -> None:
        """Follow what is written or deleted, as server-sent events."""
        self._call("GET", "/changes/stream", {"cursor": cursor})

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

    def list_webhooks(self) -> Webhooks:
        """List webhooks."""
        return self._call("GET", "/webhooks")

    def create_webhook(
        self, *, idempotency_key: str | None = None, **fields: Unpack[CreateWebhookRequest]
    ) -> NewWebhook:
        """Have changes posted to an address. Events need the scopes to read their things."""
        return self._call("POST", "/webhooks", body=fields, key=idempotency_key)

    def get_webhook(self, webhook_id: str) -> Webhook:
        """View a webhook."""
        return self._call("GET", f"/webhooks/{webhook_id}")

    def update_webhook(
        self, webhook_id: str, *, idempotency_key: str | None = None, **fields: Unpack[UpdateWebhookRequest]
    ) -> Webhook:
        """Change a webhook, or switch it on or off."""
        return self._call("PATCH", f"/webhooks/{webhook_id}", body=fields, key=idempotency_key)

    def delete_webhook(self, webhook_id: str, *, idempotency_key: str | None = None) -> None:
        """Delete a webhook with its deliveries."""
        self._call("DELETE", f"/webhooks/{webhook_id}", key=idempotency_key)

    def list_webhook_deliveries(self, webhook_id: str) -> WebhookDeliveries:
        """List the newest 100 deliveries of a webhook."""
        return self._call("GET", f"/webhooks/{webhook_id}/deliveries")

    def send_webhook_delivery_again(
        self, webhook_id: str, delivery_id: str, *, idempotency_key: str | None = None
    ) -> WebhookDelivery:
        """Post a finished delivery again, with the present state of its thing."""
        return self._call("POST", f"/webhooks/{webhook_id}/deliveries/{delivery_id}/send-again", key=idempotency_key)

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
