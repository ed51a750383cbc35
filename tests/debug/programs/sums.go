// Goroutines that add to a sum.
package main

import (
	"fmt"
	"sync"
)

var total int
var guard sync.Mutex

func add(amount int) {
	guard.Lock()
	total += amount
	guard.Unlock()
}

func main() {
	var group sync.WaitGroup
	for i := 0; i < 10; i++ {
		group.Add(1)
		go func() {
			add(1)
			group.Done()
		}()
	}
	group.Wait()
	fmt.Println(total)
}
